/* The recorder as a session uses it: interrupted at any moment, asked for a
   copy of the program, run on.  This program is also the one recorded:
   `recorder --program NAME' runs one of the functions below.

   Whether an interruption gets lost shows by a test that never ends.  */

#include "base/error.h"
#include "record/record.h"
#include "replay/replay.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* --- The programs.  Two descriptors are pipes made by the test. --- */

#define TALK_FD 50 /* the program says that it is there  */
#define HALT_FD 51 /* ... and waits  */

static atomic_int done;

static void
say (void)
{
  if (write (TALK_FD, "x", 1) != 1)
    _exit (2);
}

static void
wait_for_end (void)
{
  char byte;

  if (read (HALT_FD, &byte, 1) != 1)
    _exit (3);
}

static void
run_sleeper (void)
{
  say ();
  wait_for_end ();
}

static void *
compute (void *n)
{
  volatile unsigned long sum = 0;

  while (!atomic_load (&done))
    sum += (unsigned long) n;
  return NULL;
}

static void *
call (void *unused)
{
  while (!atomic_load (&done))
    getppid ();
  return unused;
}

/* One thread reads from a terminal, the other computes.  */
static void *
read_line (void *unused)
{
  char line[16];

  if (read (HALT_FD, line, sizeof line) < 1)
    _exit (3);
  atomic_store (&done, 1);
  return unused;
}

static void
run_reader (void)
{
  pthread_t thread;

  pthread_create (&thread, NULL, read_line, NULL);
  say ();
  compute (NULL);
  pthread_join (thread, NULL);
}

static void
run_threads (void *(*first) (void *), void *(*second) (void *))
{
  pthread_t threads[2];
  int n = 0;

  if (first != NULL)
    pthread_create (&threads[n++], NULL, first, (void *) 1);
  if (second != NULL)
    pthread_create (&threads[n++], NULL, second, (void *) 2);
  say ();
  wait_for_end ();
  atomic_store (&done, 1);
  while (n > 0)
    pthread_join (threads[--n], NULL);
}

static int
run_program (const char *name)
{
  alarm (120); /* nothing stays behind  */
  if (strcmp (name, "sleeper") == 0)
    run_sleeper ();
  else if (strcmp (name, "reader") == 0)
    run_reader ();
  else if (strcmp (name, "computing") == 0)
    run_threads (compute, NULL);
  else if (strcmp (name, "competing") == 0)
    run_threads (compute, compute);
  else if (strcmp (name, "calling") == 0)
    run_threads (compute, call);
  else
    return 9;
  return 7;
}

/* --- The recorder's side. --- */

typedef struct
{
  char *dir;
  Log *log;
  Recorder *recorder;
  int talk, halt; /* our ends  */
} Fixture;

static char *self;

static void
start (Fixture *f, const char *program, int terminal)
{
  char *argv[] = { self, (char *) "--program", (char *) program, NULL };
  const LogHeader header = { .argv = argv, .program = self, .cwd = (char *) "/", .check = TRUE, .cpu = (char *) "" };
  const RecordOptions options = { .slice_usec = 1000, .check = TRUE };
  GError *error = NULL;
  /* LeakSanitizer cannot be recorded.  */
  g_auto (GStrv) env = g_environ_setenv (g_get_environ (), "ASAN_OPTIONS", "detect_leaks=0", TRUE);
  int talk[2], halt[2];

  f->dir = g_dir_make_tmp ("retro-recorder-XXXXXX", &error);
  g_assert_no_error (error);
  f->log = log_create (f->dir, &header, &error);
  g_assert_no_error (error);
  g_assert_true (g_unix_open_pipe (talk, FD_CLOEXEC, NULL) && g_unix_open_pipe (halt, FD_CLOEXEC, NULL));
  g_assert_cmpint (dup2 (talk[1], TALK_FD), ==, TALK_FD);
  g_assert_cmpint (dup2 (terminal >= 0 ? terminal : halt[0], HALT_FD), ==, HALT_FD);
  close (talk[1]);
  close (halt[0]);
  f->talk = talk[0];
  f->halt = halt[1];
  f->recorder = recorder_start (f->log, argv, env, NULL, &options, NULL, &error);
  g_assert_no_error (error);
  close (TALK_FD);
  close (HALT_FD);
}

static LiveStopKind
go_on (Fixture *f)
{
  const LiveRequest request = { .step = NO_THREAD, .signo = -1 };
  GError *error = NULL;
  LiveStop stop;

  recorder_run (f->recorder, &request, &stop, &error);
  g_assert_no_error (error);
  if (stop.kind == LIVE_END)
    g_assert_cmphex (stop.status, ==, 7 << 8);
  return stop.kind;
}

static void
look_at_copy (Fixture *f)
{
  GError *error = NULL;
  Replay *copy = recorder_copy (f->recorder, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (replay_event (copy), ==, log_length (f->log));
  replay_free (copy);
}

/* The program is told to end; the recording is exact.  */
static void
finish (Fixture *f)
{
  GError *error = NULL;

  g_assert_cmpint (write (f->halt, "x\n", 2), ==, 2);
  recorder_set_poll (f->recorder, -1, NULL, NULL);
  g_assert_cmpint (go_on (f), ==, LIVE_END);
  recorder_free (f->recorder);
  Replay *replay = replay_new (f->log, 0, &error);
  g_assert_no_error (error);
  replay_to (replay, log_length (f->log), &error);
  g_assert_no_error (error);
  replay_free (replay);
  log_close (f->log, NULL);
  close (f->talk);
  close (f->halt);
  g_autofree char *command = g_strdup_printf ("rm -rf '%s'", f->dir);
  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
  g_free (f->dir);
}

/* The program has said that it is there: is it asleep by now?  (The
   descriptor stays readable, so we are asked until it is.)  */
static gboolean
is_asleep (gpointer user)
{
  Fixture *f = user;
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", recorder_pid (f->recorder));
  g_autofree char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  return text != NULL && strstr (text, ") S ") != NULL;
}

static void
test_asleep (void)
{
  Fixture f;

  start (&f, "sleeper", -1);
  recorder_set_poll (f.recorder, f.talk, is_asleep, &f);
  for (int i = 0; i < 5; i++)
    {
      g_assert_cmpint (go_on (&f), ==, LIVE_INTERRUPT);
      look_at_copy (&f);
    }
  finish (&f);
}

/* Is a thread other than the first asleep?  */
static gboolean
reader_is_asleep (gpointer user)
{
  Fixture *f = user;
  g_autofree char *path = g_strdup_printf ("/proc/%d/task", recorder_pid (f->recorder));
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_strdup_printf ("%s/%s/stat", path, name);
      g_autofree char *text = NULL;

      if (atoi (name) != recorder_pid (f->recorder) && g_file_get_contents (file, &text, NULL, NULL)
          && strstr (text, ") S ") != NULL)
        return TRUE;
    }
  return FALSE;
}

/* While the program is stopped, what is typed is not for it.  */
static void
test_terminal (void)
{
  int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC), terminal;
  char line[16];
  Fixture f;

  g_assert_true (master >= 0 && grantpt (master) == 0 && unlockpt (master) == 0);
  terminal = open (ptsname (master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_assert_cmpint (terminal, >=, 0);
  start (&f, "reader", terminal);
  recorder_set_poll (f.recorder, f.talk, reader_is_asleep, &f);
  for (int i = 0; i < 5; i++)
    {
      g_assert_cmpint (go_on (&f), ==, LIVE_INTERRUPT);
      look_at_copy (&f);
      g_assert_cmpint (write (master, "next\n", 5), ==, 5);
      g_assert_cmpint (read (terminal, line, sizeof line), ==, 5);
    }
  close (f.halt);
  f.halt = master;
  finish (&f);
  close (terminal);
}

static void
on_alarm (int signo)
{
  (void) signo;
  recorder_interrupt ();
}

/* Interruptions out of the blue, at shorter and shorter intervals.  */
static void
test_any_time (gconstpointer name)
{
  struct sigaction action = { .sa_handler = on_alarm };
  struct itimerval off = { { 0, 0 }, { 0, 0 } };
  Fixture f;

  start (&f, name, -1);
  sigaction (SIGALRM, &action, NULL);
  for (int i = 0; i < 60; i++)
    {
      struct itimerval once = { { 0, 0 }, { 0, 1 + (60 - i) * 40 } };

      setitimer (ITIMER_REAL, &once, NULL);
      g_assert_cmpint (go_on (&f), ==, LIVE_INTERRUPT);
      if (i % 10 == 0)
        look_at_copy (&f);
    }
  setitimer (ITIMER_REAL, &off, NULL);
  finish (&f);
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--program") == 0)
    return run_program (argv[2]);
  recorder_note_signals ();
  g_test_init (&argc, &argv, NULL);
  self = g_file_read_link ("/proc/self/exe", NULL);
  g_test_add_func ("/recorder/asleep", test_asleep);
  g_test_add_func ("/recorder/terminal", test_terminal);
  g_test_add_data_func ("/recorder/computing", "computing", test_any_time);
  g_test_add_data_func ("/recorder/competing", "competing", test_any_time);
  g_test_add_data_func ("/recorder/calling", "calling", test_any_time);
  return g_test_run ();
}
