/* Directories that go when we go: see base/scratch.h.

   The keeper is forked twice, so that nobody has to wait for it, least of
   all a tracer that waits for any child.  It ignores the signals that a
   terminal sends to us; only SIGKILL to it alone leaves a directory.  */

#include "base/scratch.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int
remove_entry (const char *path, const struct stat *info, int type, struct FTW *where)
{
  (void) info;
  (void) type;
  (void) where;
  return remove (path);
}

static void
remove_tree (const char *path)
{
  nftw (path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* The keeper: FD is the pipe's end to read.  */
static void
keep (const char *path, int fd)
{
  sigset_t all;
  char byte;

  sigfillset (&all);
  sigprocmask (SIG_SETMASK, &all, NULL);
  setsid ();
  prctl (PR_SET_NAME, "retro-keeper");
  if (chdir ("/") != 0 || dup2 (fd, 0) != 0)
    _exit (1);
  close_range (1, ~0u, 0);
  while (read (0, &byte, 1) < 0 && errno == EINTR)
    continue;
  remove_tree (path);
  _exit (0);
}

static gboolean
start_keeper (Scratch *scratch, GError **error)
{
  int fds[2], status;
  pid_t pid;

  if (pipe2 (fds, O_CLOEXEC) != 0)
    return error_set_errno (error, "pipe");
  pid = fork ();
  if (pid == 0)
    {
      if (fork () == 0)
        keep (scratch->path, fds[0]);
      _exit (0);
    }
  close (fds[0]);
  scratch->fd = fds[1];
  if (pid < 0)
    return error_set_errno (error, "fork");
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return TRUE;
}

gboolean
scratch_init (Scratch *scratch, const char *template, GError **error)
{
  *scratch = (Scratch) SCRATCH_INIT;
  scratch->path = g_strdup (template);
  if (g_mkdtemp_full (scratch->path, 0700) == NULL)
    {
      error_set_errno (error, "cannot make a directory like %s", template);
      g_clear_pointer (&scratch->path, g_free);
      return FALSE;
    }
  if (start_keeper (scratch, error))
    return TRUE;
  scratch_clear (scratch);
  return FALSE;
}

void
scratch_clear (Scratch *scratch)
{
  if (scratch->path != NULL)
    remove_tree (scratch->path);
  g_clear_pointer (&scratch->path, g_free);
  if (scratch->fd >= 0)
    close (scratch->fd);
  scratch->fd = -1;
}
