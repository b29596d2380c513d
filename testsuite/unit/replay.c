/* The replayer against a log written by hand: a program of a few
   instructions, whose registers at every event are known without a
   recorder.  What a real recording looks like is the concern of the
   scripts under testsuite/.  */

#include "base/error.h"
#include "record/point.h"
#include "replay/replay.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define CODE 0x400000ul
#define DATA 0x600000ul
#define STACK 0x700000ul

/* One row of the table for each instruction, so that addresses can be had
   by number.  */
static const guint8 code[] = {
  0xb9, 0xa0, 0x86, 0x01, 0x00,             /* 0   mov ecx, 100000 */
  0xe2, 0xfe,                               /* 5   loop . */
  0xb8, 39, 0, 0, 0,                        /* 7   mov eax, 39 (getpid) */
  0x0f, 0x05,                               /* 12  syscall */
  0x48, 0x8b, 0x1c, 0x25, 0x10, 0x00, 0x60, 0x00, /* 14 mov rbx, [0x600010] */
  0x48, 0x89, 0x04, 0x25, 0x00, 0x00, 0x60, 0x00, /* 22 mov [0x600000], rax */
  0x0f, 0x31,                               /* 30  rdtsc */
  0x48, 0x89, 0x04, 0x25, 0x08, 0x00, 0x60, 0x00, /* 32 mov [0x600008], rax */
  0x0f, 0x0b,                               /* 40  ud2 */
  0x90,                                     /* 42  nop */
  0xb8, 231, 0, 0, 0,                       /* 43  mov eax, 231 (exit_group) */
  0x0f, 0x05,                               /* 48  syscall */
};

typedef struct
{
  char *dir;
  Log *log;
  Regs regs; /* of the program, kept in step by hand  */
} Fixture;

static void
append (Fixture *f, Event *event)
{
  GError *error = NULL;

  log_append (f->log, event, &error);
  g_assert_no_error (error);
}

static void
add_map (Event *event, Addr addr, guint64 length, guint32 prot)
{
  const MapOp op = { .kind = MAP_OP_MAP, .addr = addr, .length = length, .prot = prot, .file = NO_FILE };

  event_add_op (event, &op);
}

static void
append_image (Fixture *f)
{
  Event *event = event_new (EV_IMAGE, 0);
  ThreadImage thread = { .thread = 0, .tid = 77, .name = "tiny" };

  f->regs = (Regs){ .rip = CODE, .rsp = STACK + 0x800, .eflags = 0x202, .cs = 0x33, .ss = 0x2b, .orig_rax = ~0ull };
  thread.regs = f->regs;
  g_array_append_val (event->threads, thread);
  add_map (event, CODE, 0x1000, PROT_READ | PROT_EXEC);
  add_map (event, DATA, 0x1000, PROT_READ | PROT_WRITE);
  add_map (event, STACK, 0x1000, PROT_READ | PROT_WRITE);
  event_add_write (event, CODE, code, sizeof code);
  append (f, event);

  guint64 word = 0x1122334455667788;

  event = event_new (EV_MEMORY, 0);
  event_add_write (event, DATA + 0x20, &word, 8);
  append (f, event);
}

/* A call at OFFSET in the code; the registers afterwards are in f->regs.  */
static Event *
call_event (Fixture *f, EventKind kind, guint64 offset, gint64 nr, gint64 result)
{
  Event *event = event_new (kind, 0);

  f->regs.rip = CODE + offset + 2;
  f->regs.rax = (guint64) -38;
  event->nr = nr;
  event->result = result;
  event->check = regs_check (&f->regs, TRUE);
  event->args[0] = f->regs.rdi;
  event->args[1] = f->regs.rsi;
  event->args[2] = f->regs.rdx;
  event->args[3] = f->regs.r10;
  event->args[4] = f->regs.r8;
  event->args[5] = f->regs.r9;
  f->regs.rax = (guint64) result;
  f->regs.rcx = f->regs.rip;
  f->regs.r11 = f->regs.eflags;
  return event;
}

/* What the recorder would write of the place that REGS name: the code
   between it and the last event in the log changes nothing but the pc.  */
static PointId *
make_point (Fixture *f, const Regs *regs)
{
  PointId *point = g_new0 (PointId, 1);
  GError *error = NULL;
  g_autoptr (Replay) replay = replay_new (f->log, 0, &error);

  g_assert_no_error (error);
  replay_to (replay, log_length (f->log), &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) xstate = replay_get_xstate (replay, 0, &error);
  g_assert_no_error (error);
  point->why = POINT_STOP;
  point->arrivals = 1;
  point->regs = *regs;
  point->regs.orig_rax = 0;
  point->xstate_hash = xstate_hash (xstate);
  point->memory_hash = point_memory_hash (replay_task (replay), replay_space (replay), regs);
  return point;
}

static void
append_rest (Fixture *f, int end_signal)
{
  guint64 word = 0xabcdef;
  Event *event = call_event (f, EV_SYSCALL, 12, SYS_getpid, 4242);

  event_add_write (event, DATA + 0x10, &word, 8);
  append (f, event);

  f->regs.rbx = word;
  f->regs.rip = CODE + 30;
  event = event_new (EV_TSC, 0);
  event->check = regs_check (&f->regs, FALSE);
  f->regs.rax = 5;
  f->regs.rdx = 6;
  f->regs.rip = CODE + 32;
  event->has_regs = TRUE;
  event->regs = f->regs;
  append (f, event);

  /* SIGILL, whose handler (nobody's) skips the instruction.  */
  f->regs.rip = CODE + 40;
  event = event_new (EV_SIGNAL, 0);
  event->sync = TRUE;
  event->signo = end_signal;
  event->check = regs_check (&f->regs, FALSE);
  f->regs.rip = CODE + 42;
  f->regs.rdi = 3;
  event->has_regs = TRUE;
  event->regs = f->regs;
  append (f, event);

  /* A stop at the second instruction after it.  */
  f->regs.rip = CODE + 43;
  event = event_new (EV_POINT, 0);
  event->point = end_signal == SIGILL ? make_point (f, &f->regs) : g_new0 (PointId, 1);
  append (f, event);

  event = call_event (f, EV_SYSCALL, 48, SYS_exit_group, 0);
  event->no_return = TRUE;
  append (f, event);
  event = event_new (EV_END, 0);
  event->result = 3 << 8;
  append (f, event);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  const LogHeader header = { .argv = (char *[]){ (char *) "tiny", NULL }, .program = (char *) "/tiny", .cwd = (char *) "/",
                             .cpu = (char *) "" };
  GError *error = NULL;

  f->dir = g_dir_make_tmp ("retro-replay-XXXXXX", &error);
  g_assert_no_error (error);
  f->log = log_create (f->dir, &header, &error);
  g_assert_no_error (error);
  append_image (f);
  append_rest (f, GPOINTER_TO_INT (data));
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_autofree char *command = g_strdup_printf ("rm -rf '%s'", f->dir);

  (void) data;
  log_abandon (f->log);
  g_assert_cmpint (system (command), ==, 0);
  g_free (f->dir);
}

static guint64
read_word (Replay *replay, Addr addr)
{
  guint64 word = 0;
  GError *error = NULL;

  task_read (replay_task (replay), addr, &word, sizeof word, &error);
  g_assert_no_error (error);
  return word;
}

static void
step (Replay *replay)
{
  GError *error = NULL;
  gboolean ok = replay_next (replay, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

static Replay *
begin (Fixture *f)
{
  GError *error = NULL;
  Replay *replay = replay_new (f->log, 0, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (replay_event (replay), ==, 2);
  g_assert_cmphex (read_word (replay, DATA + 0x20), ==, 0x1122334455667788);
  return replay;
}

static guint64
digest (Replay *replay)
{
  guint64 value;
  GError *error = NULL;

  replay_digest (replay, &value, &error);
  g_assert_no_error (error);
  return value;
}

static void
test_whole (Fixture *f, gconstpointer data)
{
  g_autoptr (Replay) replay = begin (f);
  g_autoptr (GError) error = NULL;
  Regs regs;

  (void) data;
  step (replay);
  g_assert_cmphex (read_word (replay, DATA + 0x10), ==, 0xabcdef);
  step (replay);
  g_assert_cmphex (read_word (replay, DATA), ==, 4242);
  step (replay);
  g_assert_cmphex (read_word (replay, DATA + 8), ==, 5);
  step (replay);
  g_assert_true (replay_get_regs (replay, 0, &regs, &error));
  g_assert_cmphex (regs.rip, ==, CODE + 43);
  step (replay);
  step (replay);
  g_assert_cmpuint (replay_event (replay), ==, log_length (f->log));
  g_assert_false (replay_next (replay, &error));
  g_assert_error (error, RETRO_ERROR, RETRO_ERROR_USAGE);
}

/* Copies at every event, each run to the end in any order, agree.  */
static void
test_copies (Fixture *f, gconstpointer data)
{
  g_autoptr (Replay) replay = begin (f);
  g_autoptr (GPtrArray) copies = g_ptr_array_new_with_free_func ((GDestroyNotify) replay_free);
  GError *error = NULL;
  EventNo last = log_length (f->log) - 1;

  (void) data;
  while (replay_event (replay) < last)
    {
      g_ptr_array_add (copies, replay_copy (replay, &error));
      g_assert_no_error (error);
      g_assert_cmphex (digest (g_ptr_array_index (copies, copies->len - 1)), ==, digest (replay));
      step (replay);
    }
  for (guint i = copies->len; i-- > 0;)
    {
      Replay *copy = g_ptr_array_index (copies, i);

      replay_to (copy, last, &error);
      g_assert_no_error (error);
      g_assert_cmphex (digest (copy), ==, digest (replay));
    }
}

/* The same places reached by translated runs, as the timeline does.  */
static void
test_arrived (Fixture *f, gconstpointer data)
{
  static const TicksStop stops[] = { TICKS_STOP_SYSCALL, TICKS_STOP_TSC, TICKS_STOP_FAULT };
  g_autoptr (Replay) replay = begin (f);
  g_autoptr (Replay) native = begin (f);
  GError *error = NULL;

  (void) data;
  for (gsize i = 0; i < G_N_ELEMENTS (stops); i++)
    {
      TicksRequest request = { .max_ticks = G_MAXUINT64, .space = replay_space (replay) };
      TicksResult result;

      g_assert_true (replay_select (replay, &error));
      ticks_run (replay_ticks (replay, &error), replay_task (replay), &request, &result, &error);
      g_assert_no_error (error);
      g_assert_cmpint (result.stop, ==, stops[i]);
      replay_moved (replay);
      replay_arrived (replay, &error);
      g_assert_no_error (error);
      step (native);
      g_assert_cmpuint (replay_event (replay), ==, replay_event (native));
      g_assert_cmphex (digest (replay), ==, digest (native));
    }
}

/* The log has another signal than the program raises.  */
static void
test_diverged (Fixture *f, gconstpointer data)
{
  g_autoptr (Replay) replay = begin (f);
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_false (replay_to (replay, log_length (f->log), &error));
  g_assert_error (error, RETRO_ERROR, RETRO_ERROR_DIVERGED);
  g_assert_nonnull (strstr (error->message, "event 4 (signal of thread 0)"));
  g_assert_nonnull (strstr (error->message, "Illegal instruction at 0x400028"));
}

/* The log's registers differ: memory was changed behind its back.  */
static void
test_diverged_regs (Fixture *f, gconstpointer data)
{
  g_autoptr (Replay) replay = begin (f);
  g_autoptr (GError) error = NULL;
  guint64 other = 99;

  (void) data;
  step (replay);
  g_assert_true (task_write (replay_task (replay), DATA + 0x10, &other, 8, &error));
  g_assert_false (replay_next (replay, &error));
  g_assert_error (error, RETRO_ERROR, RETRO_ERROR_DIVERGED);
}

static void
test_interrupt (Fixture *f, gconstpointer data)
{
  g_autoptr (Replay) replay = begin (f);
  g_autoptr (GError) error = NULL;

  (void) data;
  replay_interrupt ();
  g_assert_false (replay_next (replay, &error));
  g_assert_error (error, RETRO_ERROR, RETRO_ERROR_INTERRUPTED);
  step (replay);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/replay/whole", Fixture, GINT_TO_POINTER (4), set_up, test_whole, tear_down);
  g_test_add ("/replay/copies", Fixture, GINT_TO_POINTER (4), set_up, test_copies, tear_down);
  g_test_add ("/replay/arrived", Fixture, GINT_TO_POINTER (4), set_up, test_arrived, tear_down);
  g_test_add ("/replay/diverged", Fixture, GINT_TO_POINTER (11), set_up, test_diverged, tear_down);
  g_test_add ("/replay/diverged-registers", Fixture, GINT_TO_POINTER (4), set_up, test_diverged_regs, tear_down);
  g_test_add ("/replay/interrupt", Fixture, GINT_TO_POINTER (4), set_up, test_interrupt, tear_down);
  return g_test_run ();
}
