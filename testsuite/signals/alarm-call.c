/* alarm and setitimer while the program waits in calls.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int count;

static void
handle (int sig)
{
  (void) sig;
  count++;
}

int
main (void)
{
  struct itimerval fast = { { 0, 2000 }, { 0, 2000 } }, off = { { 0, 0 }, { 0, 0 } }, left;
  signal (SIGALRM, handle);
  setitimer (ITIMER_REAL, &fast, NULL);
  for (int i = 0; i < 5; i++)
    assert (pause () == -1 && errno == EINTR);
  setitimer (ITIMER_REAL, &off, &left);
  assert (left.it_interval.tv_usec >= 1000);
  alarm (100);
  assert (alarm (0) >= 99);
  printf ("%d\n", count >= 5);
  return 0;
}
