/* epoll: level and edge triggered, one shot, data, removal.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

int
main (void)
{
  int fds[3][2], ep = epoll_create1 (EPOLL_CLOEXEC);
  struct epoll_event ev, got[8];
  char c;
  for (unsigned i = 0; i < 3; i++)
    {
      assert (pipe (fds[i]) == 0);
      ev.events = EPOLLIN | (i == 1 ? (unsigned) EPOLLET : i == 2 ? (unsigned) EPOLLONESHOT : 0);
      ev.data.u64 = 100 + i;
      assert (epoll_ctl (ep, EPOLL_CTL_ADD, fds[i][0], &ev) == 0);
    }
  printf ("%d ready\n", epoll_wait (ep, got, 8, 0));
  for (int i = 0; i < 3; i++)
    assert (write (fds[i][1], "x", 1) == 1);
  for (int round = 0; round < 2; round++)
    {
      int n = epoll_wait (ep, got, 8, 100);
      unsigned long sum = 0;
      for (int i = 0; i < n; i++)
        sum += got[i].data.u64;
      printf ("%d ready, sum %lu\n", n, sum);
    }
  assert (read (fds[0][0], &c, 1) == 1);
  ev.data.u64 = 7;
  assert (epoll_ctl (ep, EPOLL_CTL_MOD, fds[2][0], &ev) == 0);
  assert (epoll_ctl (ep, EPOLL_CTL_DEL, fds[1][0], NULL) == 0);
  int n = epoll_pwait (ep, got, 8, 100, NULL);
  printf ("%d: %lu\n", n, (unsigned long) got[0].data.u64);
  return 0;
}
