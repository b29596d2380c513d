/* System calls: what the table says they write is what they write.

   A child is traced through calls whose outputs lie in one buffer, `area'.
   At each call's entry the buffer is copied; at its exit the writes of the
   event, applied to the copy, must give what the buffer has become: a byte
   that the kernel wrote and the table does not know is found.  The same for
   shared memory, where new pages are zero but for the writes; and after each
   call the model of the address space must be what /proc/PID/maps says.  */

#ifndef RETRO_TEST_SYS_TRACE_H
#define RETRO_TEST_SYS_TRACE_H

#include "base/error.h"
#include "base/paths.h"
#include "sys/mapped.h"
#include "sys/rows.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define AREA (256 * 1024)
#define SLOT 4096

/* Page aligned; outputs of the child's calls go here.  */
static char area[AREA + SLOT] __attribute__ ((aligned (4096))); /* the last page only to go missing  */

#define SLOT_AT(n) ((void *) (area + (n) * SLOT))

/* The child makes calls directly: libc would hide their buffers.  A call
   that should succeed and does not ends it.  */
#define CALL(...)                                                                                                      \
  ({                                                                                                                   \
    long result_ = syscall (__VA_ARGS__);                                                                              \
    if (result_ == -1)                                                                                                 \
      {                                                                                                                \
        fprintf (stderr, "line %d: %s\n", __LINE__, strerror (errno));                                                 \
        _exit (100);                                                                                                   \
      }                                                                                                                \
    result_;                                                                                                           \
  })

#define FAIL(errno_, ...)                                                                                              \
  do                                                                                                                   \
    if (syscall (__VA_ARGS__) != -1 || errno != (errno_))                                                              \
      {                                                                                                                \
        fprintf (stderr, "line %d: not refused\n", __LINE__);                                                          \
        _exit (101);                                                                                                   \
      }                                                                                                                \
  while (0)

/* --- The tracer -------------------------------------------------------------- */

typedef struct
{
  Addr start;
  gsize length;
  guint8 *data;
} Copy;

G_GNUC_UNUSED static void
clear_copy (gpointer copy)
{
  g_free (((Copy *) copy)->data);
}

typedef struct
{
  Task task;
  Space *space;
  Log *log;
  SysState *state;
  char *dir;
  guint n_calls, n_writes;
  guint8 *before; /* AREA bytes  */
  GError *stopped; /* what ended the tracing early  */
} Trace;

G_GNUC_UNUSED static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *entry = g_build_filename (path, name, NULL);
      remove_tree (entry);
    }
  if (dir != NULL)
    g_rmdir (path);
  else
    g_unlink (path);
}

G_GNUC_UNUSED static void
read_area (Trace *t, guint8 *to)
{
  g_autoptr (GError) error = NULL;

  task_read (&t->task, (Addr) area, to, AREA, &error);
  g_assert_no_error (error);
}

/* The part of WRITE that lies in the LENGTH bytes at ADDR, into COPY.  */
G_GNUC_UNUSED static void
apply_write (const MemWrite *write, Addr addr, guint8 *copy, gsize length)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (write->data, &size);

  for (gsize i = 0; i < size; i++)
    if (write->addr + i >= addr && write->addr + i < addr + length)
      copy[write->addr + i - addr] = data[i];
}

G_GNUC_UNUSED static void
check_area (Trace *t, const SysCall *call, const Event *event)
{
  g_autofree guint8 *now = g_malloc (AREA);

  read_area (t, now);
  for (guint i = 0; event->writes != NULL && i < event->writes->len; i++, t->n_writes++)
    apply_write (&g_array_index (event->writes, MemWrite, i), (Addr) area, t->before, AREA);
  for (gsize i = 0; i < AREA; i++)
    if (now[i] != t->before[i])
      {
        g_autofree char *text = sys_describe (call->nr, call->args);
        g_error ("%s wrote byte %zu of slot %zu, not in the table", text, i % SLOT, i / SLOT);
      }
}

/* Shared memory as it is at a call's entry.  */
G_GNUC_UNUSED static GArray *
copy_shared (Trace *t)
{
  GArray *copies = g_array_new (FALSE, FALSE, sizeof (Copy));

  for (guint i = 0; i < t->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (t->space->maps, Mapping, i);
      if (!(m->flags & MAP_SHARED_) || m->file != NO_FILE)
        continue;
      Copy copy = { .start = m->start, .length = m->end - m->start, .data = g_malloc0 (m->end - m->start) };
      g_assert_cmpint (task_read_some (&t->task, copy.start, copy.data, copy.length), ==, copy.length);
      g_array_append_val (copies, copy);
    }
  g_array_set_clear_func (copies, clear_copy);
  return copies;
}

/* What a replay has at a page of shared memory after EVENT: a new page is
   zero, a moved one is another's, then come the writes.  */
G_GNUC_UNUSED static void
expect_page (const GArray *copies, const Event *event, Addr addr, guint8 *page)
{
  gboolean is_new = FALSE;
  Addr from = addr;

  memset (page, 0, PAGE_SIZE_);
  for (guint i = event->ops != NULL ? event->ops->len : 0; i-- > 0 && !is_new;)
    {
      const MapOp *op = &g_array_index (event->ops, MapOp, i);
      if (op->kind == MAP_OP_MOVE && from >= op->dest && from < op->dest + op->dest_length)
        from = from - op->dest + op->addr;
      else if ((op->kind == MAP_OP_MAP || op->kind == MAP_OP_DISCARD) && from >= op->addr
               && from < op->addr + op->length)
        is_new = TRUE;
    }
  for (guint i = 0; i < copies->len && !is_new; i++)
    {
      const Copy *c = &g_array_index (copies, Copy, i);
      if (from >= c->start && from < c->start + c->length)
        memcpy (page, c->data + (from - c->start), PAGE_SIZE_);
    }
  for (guint i = 0; event->writes != NULL && i < event->writes->len; i++)
    apply_write (&g_array_index (event->writes, MemWrite, i), addr, page, PAGE_SIZE_);
}

/* Shared memory after the call, and pages beyond the end of a file.  */
G_GNUC_UNUSED static void
check_shared (Trace *t, const SysCall *call, const Event *event, const GArray *copies)
{
  g_autofree char *text = sys_describe (call->nr, call->args);
  guint8 expected[4096], now[4096];

  for (guint i = 0; i < t->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (t->space->maps, Mapping, i);
      gboolean beyond = m->file != NO_FILE && m->file == t->state->empty && t->state->has_empty;
      if (!beyond && (!(m->flags & MAP_SHARED_) || m->file != NO_FILE))
        continue;
      for (Addr at = m->start; at < m->end; at += PAGE_SIZE_)
        {
          gsize got = task_read_some (&t->task, at, now, sizeof now);
          if (beyond != (got == 0))
            g_error ("%s: the page at 0x%lx has contents or should", text, at);
          expect_page (copies, event, at, expected);
          if (!beyond && memcmp (expected, now, sizeof now) != 0)
            g_error ("%s: shared memory at 0x%lx differs", text, at);
        }
    }
}

G_GNUC_UNUSED static void
apply_ops (Trace *t, const Event *event)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; event->ops != NULL && i < event->ops->len; i++)
    {
      space_apply (t->space, &g_array_index (event->ops, MapOp, i), &error);
      g_assert_no_error (error);
    }
}

/* The model against the truth.  */
G_GNUC_UNUSED static void
check_space (Trace *t)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) maps = maps_read (t->task.tid, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
      if (e->start >= USER_END || g_str_has_prefix (e->name, "[v"))
        continue;
      for (Addr at = e->start; at < e->end;)
        {
          const Mapping *m = space_find (t->space, at);
          if (m == NULL || m->prot != e->prot)
            g_error ("%s at 0x%lx is %s", e->name, at, m == NULL ? "not in the model" : "otherwise protected");
          at = m->end;
        }
    }
  for (guint i = 0; i < t->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (t->space->maps, Mapping, i);
      if (m->flags & (MAP_STACK_ | MAP_SPECIAL_))
        continue;
      for (Addr at = m->start; at < m->end;)
        {
          const MapsEntry *e = maps_find (maps, at);
          if (e == NULL)
            g_error ("0x%lx is mapped in the model only", at);
          at = e->end;
        }
    }
}

G_GNUC_UNUSED static void
start_image (Trace *t)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Event) event = event_new (EV_IMAGE, 0);
  g_autoptr (GPtrArray) more = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);

  sys_image (&t->task, t->task.tid, t->log, event, more, &error);
  g_assert_no_error (error);
  apply_ops (t, event);
}

G_GNUC_UNUSED static void
resume (Trace *t, int *status_ret)
{
  g_assert_cmpint (ptrace (PTRACE_SYSCALL, t->task.tid, 0, 0), ==, 0);
  g_assert_cmpint (waitpid (t->task.tid, status_ret, __WALL), ==, t->task.tid);
}

G_GNUC_UNUSED static gboolean
is_call_stop (int status)
{
  return WIFSTOPPED (status) && WSTOPSIG (status) == (SIGTRAP | 0x80);
}

/* One call, from its entry stop to the next.  FALSE when the child is gone
   or tracing has ended.  */
G_GNUC_UNUSED static gboolean
trace_call (Trace *t, int *status)
{
  g_autoptr (Event) event = event_new (EV_SYSCALL, 0);
  Regs regs;

  task_get_regs (&t->task, &regs, NULL);
  SysCall call = { .task = &t->task,
                   .pid = t->task.tid,
                   .nr = (gint64) regs.orig_rax,
                   .args = { regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9 },
                   .row = sys_row ((gint64) regs.orig_rax),
                   .space = t->space,
                   .log = t->log,
                   .state = t->state };
  g_assert_nonnull (call.row);
  gboolean recorders = (call.row->flags & SYS_RECORDER) != 0;
  if (!recorders && !sys_enter (&call, &t->stopped))
    return FALSE;
  if (call.answered)
    {
      regs.orig_rax = ~0ull;
      task_set_regs (&t->task, &regs, NULL);
    }
  g_autoptr (GArray) copies = copy_shared (t);
  read_area (t, t->before);
  resume (t, status);
  if (!is_call_stop (*status))
    return FALSE;
  task_get_regs (&t->task, &regs, NULL);
  if (call.answered)
    {
      regs.rax = (guint64) call.answer;
      task_set_regs (&t->task, &regs, NULL);
    }
  call.result = (gint64) regs.rax;
  if (!recorders && !sys_leave (&call, event, &t->stopped))
    return FALSE;
  check_area (t, &call, event);
  apply_ops (t, event);
  check_shared (t, &call, event, copies);
  sys_call_clear (&call);
  t->n_calls++;
  resume (t, status);
  return is_call_stop (*status);
}

G_GNUC_UNUSED static void
trace_clear (Trace *t)
{
  task_clear (&t->task);
  space_free (t->space);
  log_abandon (t->log);
  sys_state_free (t->state);
  remove_tree (t->dir);
  g_free (t->dir);
  g_free (t->before);
  g_clear_error (&t->stopped);
}

/* Run SCRIPT in a traced child to its end (or T->stopped).  */
G_GNUC_UNUSED static void
trace_script (Trace *t, void (*script) (void))
{
  g_autoptr (GError) error = NULL;
  char *argv[] = { (char *) "script", NULL };
  LogHeader header = { .argv = argv, .program = argv[0], .cwd = argv[0], .cpu = argv[0] };
  int status;

  memset (t, 0, sizeof *t);
  t->dir = g_dir_make_tmp ("retro-sys-XXXXXX", &error);
  g_assert_no_error (error);
  t->log = log_create (t->dir, &header, &error);
  g_assert_no_error (error);
  t->space = space_new ();
  t->state = sys_state_new ();
  t->before = g_malloc (AREA);

  pid_t pid = fork ();
  if (pid == 0)
    {
      ptrace (PTRACE_TRACEME, 0, 0, 0);
      raise (SIGSTOP);
      memset (area, 0xaa, sizeof area);
      script ();
      _exit (0);
    }
  g_assert_cmpint (waitpid (pid, &status, __WALL), ==, pid);
  ptrace (PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  task_init (&t->task, pid, &error);
  g_assert_no_error (error);
  start_image (t);
  check_space (t);
  resume (t, &status);
  /* The rest of raise.  */
  while (is_call_stop (status))
    if (!trace_call (t, &status))
      break;
    else
      check_space (t);
  if (t->stopped != NULL)
    {
      kill (pid, SIGKILL);
      waitpid (pid, &status, __WALL);
      return;
    }
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

G_GNUC_UNUSED static void
check_script (void (*script) (void))
{
  Trace t;

  trace_script (&t, script);
  g_assert_no_error (t.stopped);
  g_assert_cmpuint (t.n_calls, >, 5);
  trace_clear (&t);
}

typedef struct
{
  const char *path;
  void (*script) (void);
  void (*test) (gconstpointer script);
} SysTest;

static void
test_script (gconstpointer script)
{
  check_script (*(void (*const *) (void)) script);
}

static int
run_sys_tests (int argc, char **argv, const SysTest *tests, gsize n)
{
  g_autofree char *data_home = g_dir_make_tmp ("retro-sys-XXXXXX", NULL);

  g_setenv ("XDG_DATA_HOME", data_home, TRUE);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < n; i++)
    g_test_add_data_func (tests[i].path, &tests[i].script, tests[i].test);
  int status = g_test_run ();
  remove_tree (data_home);
  return status;
}

#endif
