/* select and pselect, descriptors above 64, the time left.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

int
main (void)
{
  int fds[2];
  fd_set r, w;
  struct timeval tv = { 0, 3000 };
  assert (pipe (fds) == 0 && dup2 (fds[0], 200) == 200);
  FD_ZERO (&r);
  FD_SET (200, &r);
  printf ("timed out: %d, left %ld\n", select (201, &r, NULL, NULL, &tv), tv.tv_usec);
  assert (write (fds[1], "x", 1) == 1);
  FD_ZERO (&w);
  FD_SET (200, &r);
  FD_SET (fds[1], &w);
  tv.tv_sec = 5;
  int n = select (201, &r, &w, NULL, &tv);
  printf ("%d: %d %d, left %d\n", n, FD_ISSET (200, &r), FD_ISSET (fds[1], &w), tv.tv_sec >= 4);
  n = pselect (201, &r, NULL, NULL, NULL, NULL);
  printf ("%d\n", n);
  return 0;
}
