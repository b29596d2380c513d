/* timerfd: waited for, polled, and read while computing.  */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

int
main (void)
{
  struct itimerspec fast = { { 0, 1000000 }, { 0, 1000000 } }, left;
  uint64_t n;
  unsigned long work = 0;
  int fd = timerfd_create (CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct pollfd p = { .fd = fd, .events = POLLIN };
  assert (fd >= 0 && read (fd, &n, sizeof n) == -1 && errno == EAGAIN);
  timerfd_settime (fd, 0, &fast, NULL);
  assert (poll (&p, 1, -1) == 1 && read (fd, &n, sizeof n) == sizeof n);
  printf ("polled: %lu\n", n);
  for (int i = 0; i < 5; i++)
    {
      while (read (fd, &n, sizeof n) == -1)
        work++;
      printf ("%lu after %lu tries\n", n, work);
    }
  timerfd_gettime (fd, &left);
  assert (left.it_interval.tv_nsec == 1000000);
  return 0;
}
