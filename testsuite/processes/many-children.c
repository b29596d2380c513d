/* Forty children at once, and SIGCHLD for them.  */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int signals;

static void
handle (int sig)
{
  (void) sig;
  signals++;
}

int
main (void)
{
  int status, sum = 0, n = 0;
  unsigned long order = 0;
  struct sigaction sa = { .sa_handler = handle, .sa_flags = SA_RESTART };
  sigaction (SIGCHLD, &sa, NULL);
  for (int i = 0; i < 40; i++)
    {
      pid_t child = fork ();
      assert (child >= 0);
      if (child == 0)
        _exit (i);
    }
  for (pid_t pid; (pid = wait (&status)) > 0; n++)
    {
      sum += WEXITSTATUS (status);
      order = order * 41 + (unsigned long) WEXITSTATUS (status);
    }
  assert (n == 40 && sum == 780);
  printf ("%d signals, order %lx\n", signals, order);
  return 0;
}
