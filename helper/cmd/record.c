/* retro record: run a program and record it, transparently.

   The program has our descriptors, terminal, and process group; signals
   from the terminal reach it by themselves, so we ignore them.  Our exit
   status is the program's: the same code, or death by the same signal;
   125 when the recording could not go on, 126 and 127 as env(1).  */

#include "base/error.h"
#include "base/paths.h"
#include "cmd/cmd.h"
#include "record/record.h"
#include "trace/trapped.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_SLICE_USEC 2000

static pid_t program_pid;

/* Someone wants us to end: pass it on.  */
static void
forward_signal (int signo)
{
  if (program_pid > 0)
    kill (program_pid, signo);
}

static void
set_signals (void)
{
  struct sigaction forward = { .sa_handler = forward_signal, .sa_flags = SA_RESTART };

  signal (SIGINT, SIG_IGN);
  signal (SIGQUIT, SIG_IGN);
  signal (SIGTSTP, SIG_IGN);
  signal (SIGTTOU, SIG_IGN);
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN); /* the log then says "disk full"  */
  sigaction (SIGTERM, &forward, NULL);
  sigaction (SIGHUP, &forward, NULL);
}

/* The directory for the recording: created, private, empty.  */
static char *
make_dir (const char *wish, const char *program, GError **error)
{
  if (wish == NULL)
    return paths_new_recording (program, error);
  if (mkdir (wish, 0700) != 0)
    {
      if (errno != EEXIST)
        {
          error_set_errno (error, "cannot make %s", wish);
          return NULL;
        }
      g_autoptr (GDir) dir = g_dir_open (wish, 0, error);
      if (dir == NULL)
        return NULL;
      if (g_dir_read_name (dir) != NULL)
        {
          error_set (error, RETRO_ERROR_USAGE, "%s is not empty", wish);
          return NULL;
        }
    }
  return g_strdup (wish);
}

static char *
describe_cpu (void)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return g_strdup ("unknown");
  const char *at = strstr (text, "model name");
  const char *colon = at != NULL ? strchr (at, ':') : NULL;
  return colon != NULL ? g_strndup (colon + 2, strcspn (colon + 2, "\n")) : g_strdup ("unknown");
}

static int
exit_like (int status)
{
  if (WIFSIGNALED (status))
    {
      struct rlimit no_core = { 0, 0 };
      sigset_t all;

      setrlimit (RLIMIT_CORE, &no_core);
      signal (WTERMSIG (status), SIG_DFL);
      sigfillset (&all);
      sigprocmask (SIG_UNBLOCK, &all, NULL);
      raise (WTERMSIG (status));
      return 128 + WTERMSIG (status);
    }
  return WEXITSTATUS (status);
}

static int
run (Log *log, char **argv, const RecordOptions *options, int *status_ret, GError **error)
{
  const LiveRequest request = { .step = NO_THREAD, .undisturbed = TRUE };
  LiveStop stop;
  int exec_errno = 0;

  g_autoptr (Recorder) recorder = recorder_start (log, argv, NULL, NULL, options, &exec_errno, error);
  if (recorder == NULL)
    return exec_errno == 0 ? 125 : exec_errno == ENOENT ? 127 : 126;
  program_pid = recorder_pid (recorder);
  gboolean ok = recorder_run (recorder, &request, &stop, error);
  program_pid = 0;
  if (!ok)
    return 125;
  *status_ret = stop.status;
  return 0;
}

/* Nothing was executed: leave no empty recording behind.  */
static void
discard (const char *dir)
{
  g_autofree char *log = g_build_filename (dir, "log", NULL);
  g_autofree char *files = g_build_filename (dir, "files", NULL);

  unlink (log);
  rmdir (files);
  rmdir (dir);
}

int
cmd_record (int argc, char **argv)
{
  g_autofree char *output = NULL;
  gboolean check = FALSE;
  int seed = 0, status = 0;
  double slice_ms = DEFAULT_SLICE_USEC / 1000.0;
  g_autoptr (GError) error = NULL, close_error = NULL;
  const GOptionEntry entries[]
      = { { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Record into DIR (made, or empty)", "DIR" },
          { "check", 0, 0, G_OPTION_ARG_NONE, &check, "Add checksums of all memory, for retro verify", NULL },
          { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Choose threads at random, repeatably (0: in turn)", "N" },
          { "slice", 0, 0, G_OPTION_ARG_DOUBLE, &slice_ms, "Time slice of competing threads (default 2)", "MS" },
          { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new ("-- PROGRAM [ARGUMENT...]");

  g_option_context_set_summary (context, "Run PROGRAM and record it.");
  g_option_context_set_description (context, "The recording goes to DIR, or to a new directory under\n"
                                             "$XDG_DATA_HOME/retro; `retro replay' opens GDB on it.");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_strict_posix (context, TRUE);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      fprintf (stderr, "retro record: %s\n", error->message);
      return 125;
    }
  if (argc > 1 && strcmp (argv[1], "--") == 0)
    argc--, argv++;
  if (argc < 2)
    {
      fprintf (stderr, "retro record: no program given\nTry 'retro record --help'.\n");
      return 125;
    }
  if (slice_ms <= 0 || slice_ms > 10000 || seed < 0)
    {
      fprintf (stderr, "retro record: the slice must be between 0 and 10000 ms, the seed not negative\n");
      return 125;
    }
  g_autofree char *dir = make_dir (output, argv[1], &error);
  if (dir == NULL)
    {
      fprintf (stderr, "retro record: %s\n", error->message);
      return 125;
    }
  g_autofree char *program = g_find_program_in_path (argv[1]);
  g_autofree char *cwd = g_get_current_dir ();
  g_autofree char *cpu = describe_cpu ();
  const LogHeader header = { .argv = argv + 1,
                             .program = program != NULL ? program : argv[1],
                             .cwd = cwd,
                             .start_time = (guint64) g_get_real_time (),
                             .seed = (guint32) seed,
                             .check = check,
                             .traps_cpuid = trapped_has_cpuid (),
                             .cpu = cpu };
  const RecordOptions options
      = { .seed = (guint32) seed, .slice_usec = (guint64) (slice_ms * 1000), .check = check };
  Log *log = log_create (dir, &header, &error);
  if (log == NULL)
    {
      fprintf (stderr, "retro record: %s\n", error->message);
      return 125;
    }
  set_signals ();
  int result = run (log, argv + 1, &options, &status, &error);
  gboolean closed = log_close (log, &close_error);
  if (result != 0)
    {
      fprintf (stderr, "retro record: %s\n", error->message);
      if (result != 125)
        discard (dir);
      return result;
    }
  if (!closed)
    fprintf (stderr, "retro record: %s\n", close_error->message);
  return exit_like (status);
}
