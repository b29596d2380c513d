/* retro verify: replay a whole recording and say whether it is exact.

   The replay checks every event itself; this is only the loop around it,
   with progress on a terminal.  It shows nothing of the program: what it
   printed is not printed again.  */

#include "base/cpu.h"
#include "base/error.h"
#include "base/paths.h"
#include "replay/replay.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRESS_USEC 200000

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
      ok = replay_next (replay, error);
      if (progress && (replay_event (replay) & 63) == 0)
        {
          gint64 before = next;

          show_progress (&next, replay_event (replay), log_length (log));
          shown = shown || next != before;
        }
    }
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
  n = MAX (argc - 1, 1);
  handle_signals ();
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
