/* Events in words: see describe.h.  A row for each kind of event.  */

#include "cmd/describe.h"
#include "sys/sys.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define OPS_SHOWN 2
#define BYTES_SHOWN 256u

char *
describe_time (guint64 microseconds)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT ".%06" G_GUINT64_FORMAT, microseconds / G_USEC_PER_SEC,
                          microseconds % G_USEC_PER_SEC);
}

static char *
signal_name (int signo)
{
  const char *name = sigabbrev_np (signo);

  if (name != NULL)
    return g_strconcat ("SIG", name, NULL);
  return g_strdup_printf ("signal %d", signo);
}

char *
describe_status (int status)
{
  g_autofree char *name = NULL;

  if (WIFEXITED (status))
    return g_strdup_printf ("exit status %d", WEXITSTATUS (status));
  name = signal_name (WTERMSIG (status));
  return g_strdup_printf ("killed by %s%s", name, WCOREDUMP (status) ? " (core dumped)" : "");
}

static void
add_result (GString *line, gint64 result)
{
  const char *name = result < 0 && result >= -4095 ? strerrorname_np ((int) -result) : NULL;

  if (name != NULL)
    g_string_append_printf (line, " = -%s", name);
  else if (result > 0xffffff)
    g_string_append_printf (line, " = %#" G_GINT64_MODIFIER "x", result);
  else
    g_string_append_printf (line, " = %" G_GINT64_FORMAT, result);
}

static void
add_call (GString *line, const Event *event)
{
  g_autofree char *text = sys_describe (event->nr, event->args);

  g_string_append (line, text);
}

/* --- A row for each kind ---------------------------------------------- */

static void
say_image (GString *line, const Event *event)
{
  g_string_append_printf (line, "%u thread%s", event->threads->len, event->threads->len == 1 ? "" : "s");
}

static void
say_nothing (GString *line, const Event *event)
{
  (void) line;
  (void) event;
}

static void
say_syscall (GString *line, const Event *event)
{
  add_call (line, event);
  if (event->no_return)
    g_string_append (line, " = ?");
  else
    add_result (line, event->result);
}

static void
say_exit (GString *line, const Event *event)
{
  g_string_append_printf (line, "%s", sys_name (event->nr));
  add_result (line, event->result);
}

static void
say_signal (GString *line, const Event *event)
{
  g_autofree char *name = signal_name (event->signo);

  g_string_append_printf (line, "%s %s, code %d", name, event->sync ? "by the instruction" : "from outside",
                          event->siginfo.si_code);
  if (event->sync)
    g_string_append_printf (line, ", address %p", event->siginfo.si_addr);
}

static void
say_tsc (GString *line, const Event *event)
{
  if (event->has_regs)
    g_string_append_printf (line, "%#llx at %#llx", event->regs.rdx << 32 | event->regs.rax, event->regs.rip);
}

static void
say_point (GString *line, const Event *event)
{
  static const char *const whys[] = { "preempted", "before a signal", "stop" };
  const PointId *point = event->point;

  g_string_append_printf (line, "%s at %#llx",
                          (guint) point->why < G_N_ELEMENTS (whys) ? whys[point->why] : "?", point->regs.rip);
  if (point->arrivals != 0)
    g_string_append_printf (line, ", arrival %" G_GUINT64_FORMAT, point->arrivals);
  else
    g_string_append_printf (line, ", %u words", point->n_words);
}

static void
say_end (GString *line, const Event *event)
{
  g_autofree char *status = describe_status ((int) event->result);

  g_string_append (line, status);
}

static void (*const say[EV_KINDS]) (GString *line, const Event *event) = {
  [EV_IMAGE] = say_image, [EV_MEMORY] = say_nothing,      [EV_SYSCALL] = say_syscall,
  [EV_ENTER] = add_call,  [EV_EXIT] = say_exit,           [EV_SIGNAL] = say_signal,
  [EV_TSC] = say_tsc,     [EV_POINT] = say_point,         [EV_POKE] = say_nothing,
  [EV_END] = say_end,     [EV_THREAD_EXIT] = say_nothing,
};

/* --- What any kind can have -------------------------------------------- */

static void
add_prot (GString *line, guint32 prot)
{
  g_string_append_printf (line, " %c%c%c", prot & PROT_READ ? 'r' : '-', prot & PROT_WRITE ? 'w' : '-',
                          prot & PROT_EXEC ? 'x' : '-');
}

static void
add_map_details (GString *line, const MapOp *op, const Log *log)
{
  const char *name = op->file != NO_FILE && log != NULL ? log_file_name (log, op->file) : NULL;

  if (op->flags & MAP_SHARED_)
    g_string_append (line, " shared");
  if (op->flags & MAP_GROWSDOWN_)
    g_string_append (line, " growsdown");
  if (op->flags & MAP_STACK_)
    g_string_append (line, " stack");
  if (op->flags & MAP_SPECIAL_)
    g_string_append (line, " special");
  if (op->flags & MAP_ALIAS_)
    g_string_append_printf (line, " alias %#" G_GINT64_MODIFIER "x", op->offset);
  if (op->file != NO_FILE)
    g_string_append_printf (line, " file %u", op->file);
  if (name != NULL)
    g_string_append_printf (line, " (%s)", name);
  if (op->file != NO_FILE && op->offset != 0)
    g_string_append_printf (line, " from %#" G_GINT64_MODIFIER "x", op->offset);
}

char *
describe_op (const MapOp *op, const Log *log)
{
  GString *line = g_string_new (space_op_name (op->kind));

  g_string_append_printf (line, " %#" G_GINT64_MODIFIER "x+%#" G_GINT64_MODIFIER "x", op->addr, op->length);
  if (op->kind == MAP_OP_MOVE)
    g_string_append_printf (line, " to %#" G_GINT64_MODIFIER "x+%#" G_GINT64_MODIFIER "x", op->dest,
                            op->dest_length);
  if (op->kind == MAP_OP_MAP || op->kind == MAP_OP_PROTECT)
    add_prot (line, op->prot);
  if (op->kind == MAP_OP_MAP)
    add_map_details (line, op, log);
  return g_string_free (line, FALSE);
}

static void
add_ops (GString *line, const GArray *ops, const Log *log)
{
  if (ops == NULL || ops->len == 0)
    return;
  if (ops->len > OPS_SHOWN)
    {
      g_string_append_printf (line, " [%u changes of the mappings]", ops->len);
      return;
    }
  for (guint i = 0; i < ops->len; i++)
    {
      g_autofree char *op = describe_op (&g_array_index (ops, MapOp, i), log);

      g_string_append_printf (line, " [%s]", op);
    }
}

static void
add_writes (GString *line, const GArray *writes)
{
  gsize bytes = 0;

  if (writes == NULL || writes->len == 0)
    return;
  for (guint i = 0; i < writes->len; i++)
    bytes += g_bytes_get_size (g_array_index (writes, MemWrite, i).data);
  g_string_append_printf (line, " [wrote %" G_GSIZE_FORMAT " byte%s", bytes, bytes == 1 ? "" : "s");
  if (writes->len > 1)
    g_string_append_printf (line, " in %u places", writes->len);
  g_string_append_c (line, ']');
}

char *
describe_event (const Event *event, const Log *log)
{
  GString *line = g_string_new (NULL);

  if ((guint) event->kind < EV_KINDS && say[event->kind] != NULL)
    say[event->kind](line, event);
  if (event->new_thread != NO_THREAD)
    g_string_append_printf (line, " [thread %u begins]", event->new_thread);
  add_writes (line, event->writes);
  add_ops (line, event->ops, log);
  if (event->has_regs && event->kind != EV_TSC)
    g_string_append_printf (line, " [registers: pc %#llx]", event->regs.rip);
  if (event->has_digest)
    g_string_append_printf (line, " [digest %016" G_GINT64_MODIFIER "x]", event->digest);
  g_strchug (line->str);
  line->len = strlen (line->str);
  return g_string_free (line, FALSE);
}

/* --- Details ----------------------------------------------------------- */

static void
dump_row (FILE *out, Addr addr, const guint8 *bytes, gsize length)
{
  fprintf (out, "        %12" G_GINT64_MODIFIER "x ", addr);
  for (gsize i = 0; i < 16; i++)
    if (i < length)
      fprintf (out, " %02x", bytes[i]);
    else
      fputs ("   ", out);
  fputs ("  ", out);
  for (gsize i = 0; i < length; i++)
    fputc (g_ascii_isprint (bytes[i]) ? bytes[i] : '.', out);
  fputc ('\n', out);
}

void
describe_writes (const Event *event, FILE *out)
{
  for (guint i = 0; event->writes != NULL && i < event->writes->len; i++)
    {
      const MemWrite *write = &g_array_index (event->writes, MemWrite, i);
      gsize length;
      const guint8 *bytes = g_bytes_get_data (write->data, &length);

      for (gsize at = 0; at < MIN (length, BYTES_SHOWN); at += 16)
        dump_row (out, write->addr + at, bytes + at, MIN (MIN (length, BYTES_SHOWN) - at, 16));
      if (length > BYTES_SHOWN)
        fprintf (out, "        and %" G_GSIZE_FORMAT " bytes more\n", length - BYTES_SHOWN);
    }
}

static void
print_regs (const Regs *regs, FILE *out)
{
  static const struct
  {
    const char *name;
    gsize offset;
  } names[] = {
#define ROW(NAME) { #NAME, G_STRUCT_OFFSET (Regs, NAME) }
    ROW (rax), ROW (rbx), ROW (rcx), ROW (rdx),    ROW (rsi),     ROW (rdi),     ROW (rbp),
    ROW (rsp), ROW (r8),  ROW (r9),  ROW (r10),    ROW (r11),     ROW (r12),     ROW (r13),
    ROW (r14), ROW (r15), ROW (rip), ROW (eflags), ROW (fs_base), ROW (gs_base),
#undef ROW
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      guint64 value;

      memcpy (&value, (const guint8 *) regs + names[i].offset, sizeof value);
      fprintf (out, "%s%-7s %16" G_GINT64_MODIFIER "x%s", i % 4 == 0 ? "        " : "  ", names[i].name,
               value, i % 4 == 3 ? "\n" : "");
    }
}

static void
print_xstate (GBytes *xstate, FILE *out)
{
  if (xstate != NULL)
    fprintf (out, "        extended state, %" G_GSIZE_FORMAT " bytes, hash %08x\n", g_bytes_get_size (xstate),
             xstate_hash (xstate));
}

void
describe_registers (const Event *event, FILE *out)
{
  if (event->point != NULL)
    {
      print_regs (&event->point->regs, out);
      fprintf (out, "        extended state, hash %08x; memory hash %08x\n", event->point->xstate_hash,
               event->point->memory_hash);
      for (guint i = 0; i < event->point->n_words && i < POINT_WORDS; i++)
        {
          Addr addr = event->point->words[i].addr;
          gboolean xstate = addr >= POINT_XSTATE;

          fprintf (out, "        %s%" G_GINT64_MODIFIER "x = %" G_GINT64_MODIFIER "x\n", xstate ? "xstate + " : "",
                   xstate ? addr - POINT_XSTATE : addr, event->point->words[i].value);
        }
    }
  for (guint i = 0; event->threads != NULL && i < event->threads->len; i++)
    {
      const ThreadImage *thread = &g_array_index (event->threads, ThreadImage, i);

      fprintf (out, "        thread %u (\"%s\", id %d%s)\n", thread->thread, thread->name, (int) thread->tid,
               thread->in_call ? ", in a call" : "");
      print_regs (&thread->regs, out);
      print_xstate (thread->xstate, out);
    }
  if (event->has_regs)
    print_regs (&event->regs, out);
  print_xstate (event->xstate, out);
}
