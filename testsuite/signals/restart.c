/* SA_RESTART against EINTR: a read from a pipe, woken by an alarm whose
   handler writes what the read waits for.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static int fds[2];

static void
handle (int sig)
{
  (void) sig;
  assert (write (fds[1], "x", 1) == 1);
}

static int
read_with (int flags)
{
  struct sigaction sa = { .sa_handler = handle, .sa_flags = flags };
  struct itimerval soon = { .it_value = { 0, 5000 } };
  char c;
  sigaction (SIGALRM, &sa, NULL);
  setitimer (ITIMER_REAL, &soon, NULL);
  ssize_t ret = read (fds[0], &c, 1);
  return ret == 1 ? c : -errno;
}

int
main (void)
{
  assert (pipe (fds) == 0);
  printf ("restarted: %c\n", read_with (SA_RESTART));
  printf ("interrupted: %d\n", read_with (0) == -EINTR);
  return 0;
}
