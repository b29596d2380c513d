/* SIGPIPE handled and ignored: EPIPE.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
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
  int fds[2];
  assert (pipe (fds) == 0 && close (fds[0]) == 0);
  signal (SIGPIPE, handle);
  assert (write (fds[1], "x", 1) == -1 && errno == EPIPE);
  printf ("signal %d\n", got);
  got = 0;
  signal (SIGPIPE, SIG_IGN);
  assert (write (fds[1], "x", 1) == -1 && errno == EPIPE);
  printf ("ignored: %d\n", got);
  return 0;
}
