/* sigpending, an ignored signal dropped, and sigsuspend.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>

static volatile int got;

static void
handle (int sig)
{
  got = sig;
}

int
main (void)
{
  sigset_t all, none, pending;
  sigfillset (&all);
  sigemptyset (&none);
  signal (SIGUSR1, handle);
  signal (SIGUSR2, SIG_DFL);
  sigprocmask (SIG_BLOCK, &all, NULL);
  raise (SIGUSR1);
  raise (SIGUSR2);
  sigpending (&pending);
  printf ("pending: %d %d %d\n", sigismember (&pending, SIGUSR1), sigismember (&pending, SIGUSR2),
          sigismember (&pending, SIGTERM));
  signal (SIGUSR2, SIG_IGN);
  assert (sigsuspend (&none) == -1 && errno == EINTR);
  sigpending (&pending);
  printf ("got %d, pending now: %d\n", got == SIGUSR1, sigismember (&pending, SIGUSR1));
  return 0;
}
