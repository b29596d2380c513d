/* A random walk at the present.

   Programs run live, with stops of all kinds on the way: steps, ranges,
   breakpoints, watchpoints, caught calls, interruptions at any instruction,
   changes by the debugger; now and then the walk leaves the present for the
   past, moves there, and comes back.  After each live move the program's
   state must be that of a replay from the beginning, which follows event by
   event; in the past, a place must be what it was when it was seen first.

   SEED in the environment repeats a walk's choices (interruptions come when
   they come).

   MOVES makes it longer.  A watchpoint on the stack that is hit inside of the
   loader's patched save of the registers (record/loader.c) may not be found
   again: there the processor's choice is still in memory.  */

#include "base/error.h"
#include "record/record.h"
#include "timeline/session.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOVES 15
#include <sys/time.h>
#include <unistd.h>

static const char *const programs[] = {
  "misc/hello",          "misc/setjmp",     "misc/exceptions", "memory/mremap", "memory/jit",
  "processes/exec-self", "signals/handler", "signals/storm",   "threads/mutex",
};

#define MAX_PCS 400

typedef struct
{
  Position position;
  guint64 digest;
} Visit;

typedef struct
{
  const char *path;
  GRand *rand;
  Session *session;
  Replay *straight; /* follows from the beginning  */
  GArray *visits;   /* of Visit  */
  Addr pcs[MAX_PCS];
  guint n_pcs;
  gboolean ended;
  int signo; /* that has stopped the program, to be passed on  */
  const char *last; /* what the last move was  */
  guint runs;
} Walk;

static guint
pick (Walk *walk, guint n)
{
  return (guint) g_rand_int_range (walk->rand, 0, (gint32) n);
}

static guint64
digest_here (Walk *walk)
{
  GError *error = NULL;
  guint64 digest;

  session_digest (walk->session, &digest, &error);
  g_assert_no_error (error);
  return digest;
}

static void
fail_if (Walk *walk, const GError *error)
{
  Position now;

  if (error == NULL)
    return;
  session_position (walk->session, &now);
  g_error ("%s at event %" G_GUINT64_FORMAT ", pc 0x%" G_GINT64_MODIFIER "x: %s", walk->last, now.event, now.pc,
           error->message);
}

/* ---- Judging ---- */

/* At the present: bring the straight replay here and compare.  */
static void
check_present (Walk *walk)
{
  GError *error = NULL;
  guint64 straight;
  Position now;

  session_position (walk->session, &now);
  /* The alarm may have come late, for us instead of the session.  */
  while (!replay_to (walk->straight, now.event, &error)
         && g_error_matches (error, RETRO_ERROR, RETRO_ERROR_INTERRUPTED))
    g_clear_error (&error);
  fail_if (walk, error);
  replay_digest (walk->straight, &straight, &error);
  g_assert_no_error (error);
  if (digest_here (walk) != straight)
    g_error ("after %s, at event %" G_GUINT64_FORMAT ", the program is not what a replay from the beginning is",
             walk->last, now.event);
}

/* Remember this place.  */
static void
visit (Walk *walk)
{
  Visit now;

  session_position (walk->session, &now.position);
  now.digest = digest_here (walk);
  g_array_append_val (walk->visits, now);
  if (now.position.pc != 0)
    walk->pcs[walk->n_pcs++ % MAX_PCS] = now.position.pc;
}

static void
check_visited (Walk *walk, const Visit *then)
{
  Position now;

  session_position (walk->session, &now);
  if (position_compare (&now, &then->position) != 0)
    g_error ("%s led to event %" G_GUINT64_FORMAT " instead of %" G_GUINT64_FORMAT, walk->last, now.event,
             then->position.event);
  if (digest_here (walk) != then->digest)
    g_error ("%s: another state than before at event %" G_GUINT64_FORMAT ", ticks %" G_GUINT64_FORMAT, walk->last,
             now.event, now.ticks);
}

/* ---- Moving ---- */

static void
resume (Walk *walk, const SessionRequest *request, Stop *stop)
{
  GError *error = NULL;

  session_resume (walk->session, request, stop, &error);
  fail_if (walk, error);
  walk->signo = stop->kind == STOP_SIGNAL ? stop->signo : 0;
  walk->ended |= stop->kind == STOP_EXITED || stop->kind == STOP_KILLED;
}

static void
go_on (Walk *walk, Stop *stop)
{
  const SessionRequest request = { .how = SESSION_CONTINUE, .thread = session_current_thread (walk->session),
                                   .signo = walk->signo };

  resume (walk, &request, stop);
}

static void
move_steps (Walk *walk)
{
  SessionRequest request = { .how = SESSION_STEP, .thread = session_current_thread (walk->session),
                             .signo = walk->signo };
  Stop stop = { .kind = STOP_STEP };

  walk->last = "steps";
  for (guint n = 1 + pick (walk, 6); n > 0 && stop.kind == STOP_STEP; n--)
    {
      resume (walk, &request, &stop);
      if (n > 1 && !walk->ended)
        visit (walk);
    }
}

static void
move_range (Walk *walk)
{
  SessionRequest request = { .how = SESSION_RANGE, .thread = session_current_thread (walk->session),
                             .signo = walk->signo };
  Position now;
  Stop stop;

  walk->last = "a range of steps";
  session_position (walk->session, &now);
  request.start = now.pc & ~G_GUINT64_CONSTANT (15);
  request.end = request.start + 16 + pick (walk, 32);
  resume (walk, &request, &stop);
}

static void
move_to_break (Walk *walk)
{
  guint n = 1 + pick (walk, 3);
  g_autofree Addr *pcs = g_new (Addr, n);
  GError *error = NULL;
  Stop stop;

  walk->last = "continuing to a breakpoint";
  for (guint i = 0; i < n; i++)
    {
      pcs[i] = walk->pcs[pick (walk, MIN (walk->n_pcs, MAX_PCS))];
      session_insert (walk->session, SESSION_BREAK, pcs[i], 1, NULL, NULL, NULL, &error);
      fail_if (walk, error);
    }
  go_on (walk, &stop);
  if (stop.kind == STOP_BREAK && pick (walk, 2) == 0)
    {
      visit (walk);
      go_on (walk, &stop);
    }
  for (guint i = 0; i < n; i++)
    session_remove (walk->session, SESSION_BREAK, pcs[i], 1, NULL);
}

/* A word of the stack, which is written soon.  */
static void
move_to_watch (Walk *walk)
{
  ThreadNo thread = session_current_thread (walk->session);
  GError *error = NULL;
  Regs regs;
  Stop stop;
  Addr word;

  walk->last = "continuing to a watchpoint";
  session_get_regs (walk->session, thread, &regs, &error);
  fail_if (walk, error);
  word = (regs.rsp & ~G_GUINT64_CONSTANT (7)) + 8 * pick (walk, 32) - 128;
  session_insert (walk->session, pick (walk, 3) == 0 ? SESSION_WATCH_ACCESS : SESSION_WATCH_WRITE, word, 8, NULL, NULL,
                  NULL, &error);
  fail_if (walk, error);
  go_on (walk, &stop);
  for (SessionTrapKind kind = SESSION_WATCH_WRITE; kind <= SESSION_WATCH_ACCESS; kind++)
    session_remove (walk->session, kind, word, 8, NULL);
}

static void
move_to_call (Walk *walk)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (gint64));
  Stop stop = { .kind = STOP_SYSCALL_ENTRY };

  walk->last = "continuing to a call";
  session_catch_syscalls (walk->session, all);
  for (guint n = 1 + pick (walk, 3); n > 0 && !walk->ended; n--)
    go_on (walk, &stop);
  session_catch_syscalls (walk->session, NULL);
}

static void
on_alarm (int signo)
{
  (void) signo;
  session_interrupt ();
}

static void
move_until_interrupted (Walk *walk)
{
  struct itimerval soon = { .it_value.tv_usec = 50 + (suseconds_t) pick (walk, 6000) }, never = { 0 };
  Stop stop;

  walk->last = "an interruption";
  setitimer (ITIMER_REAL, &soon, NULL);
  go_on (walk, &stop);
  setitimer (ITIMER_REAL, &never, NULL);
}

/* Memory that the program does not use, registers as they are: harmless
   to the program, but part of its state.  */
static void
move_poke (Walk *walk)
{
  ThreadNo thread = session_current_thread (walk->session);
  guint64 value = g_rand_int (walk->rand), there;
  GError *error = NULL;
  Regs regs;

  walk->last = "a change";
  session_get_regs (walk->session, thread, &regs, &error);
  fail_if (walk, error);
  if (session_read (walk->session, regs.rsp - 1024, &there, 8) == 8)
    session_write (walk->session, regs.rsp - 1024, &value, 8, &error);
  fail_if (walk, error);
  /* It cannot be done to a thread in a call.  */
  session_poke_regs (walk->session, thread, &regs, NULL, &error);
  if (g_error_matches (error, RETRO_ERROR, RETRO_ERROR_USAGE))
    g_clear_error (&error);
  fail_if (walk, error);
}

/* To places seen before, steps around them, and back to the present.  */
static void
move_to_past (Walk *walk)
{
  guint64 present = digest_here (walk);
  Position end;
  GError *error = NULL;
  Stop stop = { .kind = STOP_STEP };

  for (guint n = 1 + pick (walk, 3); n > 0; n--)
    {
      const Visit then = g_array_index (walk->visits, Visit, pick (walk, walk->visits->len));
      SessionRequest request = { .how = SESSION_STEP, .backward = TRUE };

      walk->last = "going to the past";
      if (pick (walk, 6) == 0)
        session_drop_snapshots (walk->session);
      if (pick (walk, 6) == 0)
        session_set_snapshot_memory (walk->session, pick (walk, 2));
      session_seek (walk->session, &then.position, &error);
      fail_if (walk, error);
      check_visited (walk, &then);
      request.thread = session_current_thread (walk->session);
      walk->last = "a step back";
      resume (walk, &request, &stop);
    }
  walk->last = "coming back to the present";
  session_end (walk->session, &end);
  if (pick (walk, 2) == 0)
    {
      session_seek (walk->session, &end, &error);
      fail_if (walk, error);
      if (digest_here (walk) != present)
        g_error ("the present has changed while we were in the past");
    }
  else
    go_on (walk, &stop); /* and on, live, if nothing stops it before  */
  if (!session_at_frontier (walk->session))
    {
      session_seek (walk->session, &end, &error);
      fail_if (walk, error);
    }
}

static void (*const moves[]) (Walk *) = {
  move_steps, move_steps, move_range, move_to_break, move_to_break, move_to_watch, move_to_call,
  move_until_interrupted, move_until_interrupted, move_poke, move_to_past, move_to_past,
};

/* ---- A walk ---- */

static void
start_program (Walk *walk)
{
  char *argv[] = { (char *) walk->path, NULL };
  SessionOptions options = { .snapshot_usec = 500 + pick (walk, 100000) };
  GError *error = NULL;

  if (pick (walk, 4) != 0)
    options.seed = g_rand_int (walk->rand);
  walk->session = session_run (argv, NULL, NULL, &options, &error);
  g_assert_no_error (error);
  walk->straight = replay_new (session_log (walk->session), 0, &error);
  g_assert_no_error (error);
  if (pick (walk, 2) == 0)
    session_pass_signals (walk->session, ~G_GUINT64_CONSTANT (0));
  session_report_events (walk->session, pick (walk, 64));
  g_array_set_size (walk->visits, 0);
  walk->ended = FALSE;
  walk->runs++;
  visit (walk);
}

static void
end_program (Walk *walk)
{
  replay_free (walk->straight);
  session_free (walk->session);
}

static void
test_program (gconstpointer data)
{
  const char *build = g_getenv ("BUILD"), *more = g_getenv ("MOVES"), *seed = g_getenv ("SEED");
  g_autofree char *path = g_build_filename (build != NULL ? build : "build", "testsuite", data, NULL);
  guint32 number = seed != NULL ? (guint32) strtoul (seed, NULL, 0) : (guint32) g_test_rand_int ();
  Walk walk = { .path = path };
  guint n = more != NULL ? (guint) atoi (more) : MOVES;

  if (!g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
    g_error ("%s is not built", path);
  g_test_message ("seed %u", number);
  walk.rand = g_rand_new_with_seed (number);
  walk.visits = g_array_new (FALSE, FALSE, sizeof (Visit));
  start_program (&walk);
  for (guint i = 0; i < n; i++)
    {
      if (walk.ended)
        {
          end_program (&walk);
          start_program (&walk);
        }
      moves[pick (&walk, G_N_ELEMENTS (moves))](&walk);
      /* At the end of the program `here' is before its last event.  */
      check_present (&walk);
      visit (&walk);
    }
  end_program (&walk);
  g_test_message ("%u runs", walk.runs);
  g_array_unref (walk.visits);
  g_rand_free (walk.rand);
}

int
main (int argc, char **argv)
{
  int quiet = open ("/dev/null", O_WRONLY);
  const struct sigaction alarm = { .sa_handler = on_alarm };

  g_test_init (&argc, &argv, NULL);
  recorder_note_signals ();
  sigaction (SIGALRM, &alarm, NULL);
  /* What the programs print is not TAP; our own goes where it went.  */
  int tap = dup (1);

  dup2 (quiet, 1);
  stdout = fdopen (tap, "w");
  setvbuf (stdout, NULL, _IOLBF, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *name = g_strdup_printf ("/live-walk/%s", programs[i]);

      g_test_add_data_func (name, programs[i], test_program);
    }
  return g_test_run ();
}
