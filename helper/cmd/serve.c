/* retro serve: speak GDB's remote protocol.

   On standard input and output, for "target extended-remote | retro serve", or
   on a socket of the file system that only the user may open.  The
   program then has other descriptors 0, 1 and 2 than the protocol: those
   given by --fds, else /dev/null and standard error, which GDB copies to
   its terminal.

   One client; when it goes (end of file, SIGHUP, SIGTERM), or when we are
   killed, nothing of the program is left.  */

#include "cmd/cmd.h"

#include "base/error.h"
#include "record/record.h"
#include "rsp/serve.h"
#include "rsp/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

typedef struct
{
  char *socket, *fds, *replay, *dir;
  gboolean begin;
  int seed, attach;
  gint64 snapshot_memory, snapshot_interval;
  char **program;
} Arguments;

static gboolean
parse_arguments (Arguments *a, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "socket", 0, 0, G_OPTION_ARG_FILENAME, &a->socket, "Serve one client on this socket, to be made", "PATH" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &a->dir, "Keep the recording in DIR", "DIR" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &a->seed, "Seed of the scheduler; 0: none", "N" },
    { "snapshot-memory", 0, 0, G_OPTION_ARG_INT64, &a->snapshot_memory, "Limit for snapshots (default: a quarter of RAM)",
      "BYTES" },
    { "snapshot-interval", 0, 0, G_OPTION_ARG_INT64, &a->snapshot_interval, "Run time between snapshots", "USEC" },
    { "attach", 0, 0, G_OPTION_ARG_INT, &a->attach, "Attach to this process", "PID" },
    { "replay", 0, 0, G_OPTION_ARG_FILENAME, &a->replay, "Open this recording", "DIR" },
    { "begin", 0, 0, G_OPTION_ARG_NONE, &a->begin, "... at its beginning", NULL },
    { "fds", 0, 0, G_OPTION_ARG_STRING, &a->fds, "Descriptors that become the program's 0, 1 and 2", "IN,OUT,ERR" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->program, NULL, "[PROGRAM ARG...]" },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (context, "Speak GDB's remote serial protocol:  (gdb) target extended-remote | retro serve");
  g_option_context_set_strict_posix (context, TRUE);
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, &argc, &argv, error);
}

static void
clear_arguments (Arguments *a)
{
  g_free (a->socket);
  g_free (a->fds);
  g_free (a->replay);
  g_free (a->dir);
  g_strfreev (a->program);
}

/* ---- Signals ---- */

static void
on_end (int signo)
{
  (void) signo;
  wire_close_all ();
  session_interrupt ();
}

static void
handle_signals (void)
{
  const int ends[] = { SIGTERM, SIGHUP };
  const int ignored[] = { SIGPIPE, SIGINT, SIGTTOU, SIGTTIN };
  struct sigaction end = { .sa_handler = on_end }, ignore = { .sa_handler = SIG_IGN };

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    sigaction (ends[i], &end, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (ignored); i++)
    sigaction (ignored[i], &ignore, NULL);
}

/* ---- Descriptors ---- */

/* A copy of FD out of the way, closed in the program.  */
static int
set_aside (int fd)
{
  return fcntl (fd, F_DUPFD_CLOEXEC, 100);
}

/* Give the program descriptors 0, 1, 2 as FDS says ("7,8,9").  */
static gboolean
use_given_fds (const char *fds, GError **error)
{
  int from[3];

  if (sscanf (fds, "%d,%d,%d", &from[0], &from[1], &from[2]) != 3)
    return error_set (error, RETRO_ERROR_USAGE, "--fds wants three numbers");
  for (int i = 0; i < 3; i++)
    if (dup2 (from[i], i) < 0)
      return error_set_errno (error, "descriptor %d", from[i]);
  for (int i = 0; i < 3; i++)
    if (from[i] > 2)
      fcntl (from[i], F_SETFD, FD_CLOEXEC);
  return TRUE;
}

/* Standard input from nowhere, output to where messages go.  */
static gboolean
use_stderr (GError **error)
{
  int null = open ("/dev/null", O_RDONLY | O_CLOEXEC);

  if (null < 0 || dup2 (null, 0) < 0 || dup2 (2, 1) < 0)
    return error_set_errno (error, "/dev/null");
  close (null);
  return TRUE;
}

/* Wait for one client on the socket PATH, which is made and removed.  */
static int
accept_client (const char *path, GError **error)
{
  struct sockaddr_un addr = { .sun_family = AF_UNIX };
  mode_t mask;
  int listener, fd = -1;

  if (strlen (path) >= sizeof addr.sun_path)
    {
      error_set (error, RETRO_ERROR_USAGE, "%s: too long for a socket", path);
      return -1;
    }
  strcpy (addr.sun_path, path);
  listener = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  mask = umask (0177);
  if (listener >= 0 && bind (listener, (struct sockaddr *) &addr, sizeof addr) == 0)
    {
      umask (mask);
      if (listen (listener, 1) == 0)
        fd = accept4 (listener, NULL, NULL, SOCK_CLOEXEC);
      if (fd < 0)
        error_set_errno (error, "%s", path);
      unlink (path);
    }
  else
    {
      umask (mask);
      error_set_errno (error, "%s", path);
    }
  if (listener >= 0)
    close (listener);
  return fd;
}

static gboolean
serve (const Arguments *a, GError **error)
{
  ServeOptions options = { .session = { .seed = (guint32) a->seed, .dir = a->dir,
                                        .snapshot_memory = (guint64) a->snapshot_memory,
                                        .snapshot_usec = (guint64) a->snapshot_interval },
                           .argv = a->program,
                           .start = a->program != NULL,
                           .attach = a->attach,
                           .recording = a->replay,
                           .at_begin = a->begin,
                           .notice_fd = set_aside (2) };
  int in = set_aside (0), out = set_aside (1);

  if (a->socket != NULL)
    {
      if ((in = out = accept_client (a->socket, error)) < 0)
        return FALSE;
      if (a->fds != NULL && !use_given_fds (a->fds, error))
        return FALSE;
    }
  else if (!(a->fds != NULL ? use_given_fds (a->fds, error) : use_stderr (error)))
    return FALSE;
  return serve_run (&options, in, out, error);
}

int
cmd_serve (int argc, char **argv)
{
  Arguments a = { .snapshot_interval = 250000 };
  g_autoptr (GError) error = NULL;
  gboolean ok;

  recorder_note_signals ();
  ok = parse_arguments (&a, argc, argv, &error);
  handle_signals ();
  ok = ok && serve (&a, &error);
  if (!ok)
    fprintf (stderr, "retro serve: %s\n", error->message);
  clear_arguments (&a);
  return ok ? 0 : 1;
}
