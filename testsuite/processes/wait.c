/* All kinds of waiting: wait4 with usage, waitid, options, groups.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  int status;
  struct rusage usage;
  siginfo_t info;
  int fds[2];
  char c;
  assert (pipe (fds) == 0);
  pid_t child = fork ();
  if (child == 0)
    _exit (read (fds[0], &c, 1) == 1 ? 5 : 6);
  assert (waitpid (child, &status, WNOHANG) == 0);
  assert (write (fds[1], "x", 1) == 1);
  assert (waitid (P_PID, (id_t) child, &info, WEXITED | WNOWAIT) == 0);
  printf ("waitid: code %d, status %d\n", info.si_code == CLD_EXITED, info.si_status);
  assert (wait4 (child, &status, 0, &usage) == child && WEXITSTATUS (status) == 5);
  child = fork ();
  if (child == 0)
    for (;;)
      pause ();
  kill (child, SIGSTOP);
  assert (waitpid (child, &status, WUNTRACED) == child && WIFSTOPPED (status));
  kill (child, SIGCONT);
  assert (waitpid (child, &status, WCONTINUED) == child && WIFCONTINUED (status));
  kill (child, SIGKILL);
  assert (waitpid (-1, &status, 0) == child);
  printf ("signal %d, core %d\n", WTERMSIG (status), WCOREDUMP (status));
  assert (waitpid (-1, &status, 0) == -1 && errno == ECHILD);
  return 0;
}
