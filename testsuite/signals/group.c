/* A signal to the whole process group, which is the program and a child.  */
/* test: same-output */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int got;

static void
handle (int sig)
{
  got = sig;
}

int
main (void)
{
  int status;
  setpgid (0, 0);
  signal (SIGUSR1, handle);
  pid_t child = fork ();
  if (child == 0)
    {
      while (!got)
        usleep (1000);
      _exit (3);
    }
  kill (0, SIGUSR1);
  waitpid (child, &status, 0);
  printf ("%d, child %d\n", got, WEXITSTATUS (status));
  return 0;
}
