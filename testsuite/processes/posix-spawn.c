/* posix_spawn with file actions and attributes.  */
/* test: same-output */
#include <assert.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  char *args[] = { "sh", "-c", "echo spawned with $V; exit 4", NULL };
  char *env[] = { "V=value", NULL };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  sigset_t set;
  pid_t pid;
  int fds[2], status;
  char buf[100] = "";
  assert (pipe (fds) == 0);
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, fds[1], 1);
  posix_spawn_file_actions_addclose (&actions, fds[0]);
  posix_spawnattr_init (&attr);
  sigemptyset (&set);
  posix_spawnattr_setsigmask (&attr, &set);
  posix_spawnattr_setflags (&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  assert (posix_spawn (&pid, "/bin/sh", &actions, &attr, args, env) == 0);
  close (fds[1]);
  assert (read (fds[0], buf, sizeof buf - 1) > 0);
  assert (waitpid (pid, &status, 0) == pid);
  printf ("%sexit %d\n", buf, WEXITSTATUS (status));
  return 0;
}
