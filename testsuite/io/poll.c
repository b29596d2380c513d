/* poll and ppoll: ready, hung up, invalid, timed out.  */
/* test: same-output */
#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int
main (void)
{
  int a[2], b[2];
  struct timespec ms = { 0, 1000000 };
  assert (pipe (a) == 0 && pipe (b) == 0);
  struct pollfd p[4] = { { .fd = a[0], .events = POLLIN },
                         { .fd = b[1], .events = POLLOUT },
                         { .fd = 999, .events = POLLIN },
                         { .fd = -1, .events = POLLIN } };
  int n = poll (p, 4, -1);
  printf ("%d: %x %x %x %x\n", n, p[0].revents, p[1].revents, p[2].revents, p[3].revents);
  assert (write (a[1], "x", 1) == 1);
  close (a[1]);
  n = ppoll (p, 2, &ms, NULL);
  printf ("%d: %x %x\n", n, p[0].revents, p[1].revents);
  close (b[0]);
  n = poll (p, 2, -1);
  printf ("%d: %x %x\n", n, p[0].revents, p[1].revents);
  p[0].fd = -1;
  printf ("timed out: %d\n", poll (p, 1, 3));
  return 0;
}
