/* retro verify: replay a whole recording and say whether it is exact.

   The replay checks every event itself; this is only the loop around it,
   with progress on a terminal.  It shows nothing of the program: what it
   printed is not printed again.

   A replay that computes for ever (it waits for a store that another process
   made to shared memory) is told by the processor time that it spends on one
   event.  */

#include "base/cpu.h"
#include "base/error.h"
#include "base/paths.h"
#include "replay/replay.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_USEC 200000

/* A stretch may take this much processor time, and so much more for each
   second that it took when it was recorded.  */
#define STRETCH_SEC 3.0
#define STRETCH_FACTOR 20.0

/* Looked at by a timer.  */
static struct
{
  volatile pid_t pid;      /* of the replay, or 0  */
  volatile EventNo event;  /* it goes to this one  */
  volatile EventNo seen;   /* the timer has seen that, first when ...  */
  volatile double start;   /* ... the replay had used so many seconds  */
  volatile double limit;
  volatile gboolean late;  /* it was interrupted for taking longer  */
} watch;

static void
on_interrupt (int signo)
{
  (void) signo;
  replay_interrupt ();
  ticks_interrupt ();
}

static void
handle_signals (void)
{
  const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  struct sigaction action = { .sa_handler = on_interrupt };

  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i], &action, NULL);
}

static double
cpu_seconds (pid_t pid)
{
  struct timespec used = { 0, 0 };
  clockid_t clock;

  if (clock_getcpuclockid (pid, &clock) != 0 || clock_gettime (clock, &used) != 0)
    return 0;
  return (double) used.tv_sec + (double) used.tv_nsec / 1e9;
}

static void
on_timer (int signo)
{
  double used;

  (void) signo;
  if (watch.pid == 0)
    return;
  used = cpu_seconds (watch.pid);
  if (watch.seen != watch.event || used < watch.start)
    {
      watch.seen = watch.event;
      watch.start = used;
      watch.limit = STRETCH_SEC;
    }
  else if (used - watch.start > watch.limit)
    {
      watch.late = TRUE;
      replay_interrupt ();
      ticks_interrupt ();
    }
}

static void
start_timer (void)
{
  const struct itimerval every = { { 0, 500000 }, { 0, 500000 } };
  struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_RESTART };

  watch.seen = G_MAXUINT64;
  sigaction (SIGALRM, &action, NULL);
  setitimer (ITIMER_REAL, &every, NULL);
}

/* The timer has interrupted REPLAY: may it go on?  Finding a point can take
   its time; to another event the program just runs.  */
static gboolean
may_go_on (Replay *replay, GError **error)
{
  EventNo n = replay_event (replay);
  const Event *event = n > 0 ? log_get (replay_log (replay), n - 1, NULL) : NULL;
  guint64 before = event != NULL ? event->time : 0;
  double used = watch.limit, recorded;

  watch.late = FALSE;
  watch.limit = used * 2;
  event = replay_peek (replay, error);
  if (event == NULL)
    return FALSE;
  recorded = event->time > before ? (double) (event->time - before) / G_USEC_PER_SEC : 0;
  if (event->kind == EV_POINT || !replay_event_runs (event) || used <= STRETCH_SEC + STRETCH_FACTOR * recorded)
    return TRUE;
  return error_set (error, RETRO_ERROR_DIVERGED,
                    "the replay diverged at event %" G_GUINT64_FORMAT " (%s of thread %u): the program computes on, for "
                    "%.0f s instead of %.3f s; perhaps it waits for another process to write shared memory",
                    n, event_kind_name (event->kind), event->thread, used, recorded);
}

/* To the next event, unless that takes too long.  */
static gboolean
watched_next (Replay *replay, GError **error)
{
  watch.pid = replay_task (replay)->tid;
  watch.event = replay_event (replay);
  for (;;)
    {
      g_autoptr (GError) failed = NULL;

      if (replay_next (replay, &failed))
        return TRUE;
      if (watch.late && g_error_matches (failed, RETRO_ERROR, RETRO_ERROR_INTERRUPTED))
        {
          if (!may_go_on (replay, error))
            return FALSE;
          continue;
        }
      g_propagate_error (error, g_steal_pointer (&failed));
      return FALSE;
    }
}

static void
show_progress (gint64 *next, EventNo done, EventNo total)
{
  gint64 now = g_get_monotonic_time ();

  if (now < *next)
    return;
  *next = now + PROGRESS_USEC;
  fprintf (stderr, "\rverifying: %3u%%", total != 0 ? (unsigned) (100.0 * (double) done / (double) total) : 100);
  fflush (stderr);
}

static void
clear_progress (void)
{
  fputs ("\r\033[K", stderr);
}

static gboolean
replay_all (Log *log, gboolean quiet, GError **error)
{
  gboolean progress = !quiet && isatty (STDERR_FILENO);
  gint64 next = g_get_monotonic_time () + PROGRESS_USEC;
  g_autoptr (Replay) replay = replay_new (log, 0, error);
  gboolean shown = FALSE, ok = replay != NULL;

  while (ok && replay_event (replay) < log_length (log))
    {
      ok = watched_next (replay, error);
      if (progress && (replay_event (replay) & 63) == 0)
        {
          gint64 before = next;

          show_progress (&next, replay_event (replay), log_length (log));
          shown = shown || next != before;
        }
    }
  watch.pid = 0;
  if (shown)
    clear_progress ();
  return ok;
}

/* ", exit status 3", from the last event.  */
static char *
describe_end (Log *log)
{
  const Event *event = log_length (log) > 0 ? log_get (log, log_length (log) - 1, NULL) : NULL;
  int status;

  if (event == NULL || event->kind != EV_END)
    return g_strdup ("the recording stops before the program's end");
  status = (int) event->result;
  if (WIFEXITED (status))
    return g_strdup_printf ("exit status %d", WEXITSTATUS (status));
  return g_strdup_printf ("killed by signal %d (%s)", WTERMSIG (status), g_strsignal (WTERMSIG (status)));
}

static gboolean
verify (const char *dir, gboolean quiet, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  g_autoptr (Log) log = log_open (dir, error);
  g_autofree char *end = NULL;

  if (log == NULL)
    return FALSE;
  if (log_length (log) == 0)
    return error_set (error, RETRO_ERROR_FORMAT, "%s: the recording is empty", dir);
  cpu_pin (log_header (log)->start_time);
  if (!replay_all (log, quiet, error))
    {
      g_prefix_error (error, "%s: ", dir);
      return FALSE;
    }
  if (quiet)
    return TRUE;
  end = describe_end (log);
  printf ("retro verify: %s: %" G_GUINT64_FORMAT " events, exact (replayed in %.2f s); %s\n", dir, log_length (log),
          (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC, end);
  if (log_is_truncated (log))
    printf ("retro verify: %s: note: the recording is truncated; only what is whole was replayed\n", dir);
  return TRUE;
}

int cmd_verify (int argc, char **argv);

int
cmd_verify (int argc, char **argv)
{
  gboolean quiet = FALSE;
  const GOptionEntry entries[] = {
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Print nothing but errors", NULL },
    { 0 },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("[DIR...]");
  g_autofree char *latest = paths_default_recording ();
  char *only_latest[] = { latest };
  char **dirs;
  int n;
  int status = 0;

  g_option_context_set_summary (context, "Replay the recordings DIR... (default: the latest) completely and check that\n"
                                         "each is exact.  The exit status is 0 if all are, 1 if one is not.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      fprintf (stderr, "retro verify: %s\n", error->message);
      return 2;
    }
  dirs = argc > 1 ? argv + 1 : only_latest;
  n = argc > 1 ? argc - 1 : 1;
  handle_signals ();
  start_timer ();
  for (int i = 0; i < n; i++)
    if (!verify (dirs[i], quiet, &error))
      {
        fprintf (stderr, "retro verify: %s\n", error->message);
        status = g_error_matches (error, RETRO_ERROR, RETRO_ERROR_INTERRUPTED) ? 130 : 1;
        g_clear_error (&error);
        if (status == 130)
          break;
      }
  return status;
}
