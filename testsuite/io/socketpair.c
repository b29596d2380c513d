/* Unix socket pairs: stream, datagram, sequenced packets, shutdown.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int
main (void)
{
  static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
  for (int i = 0; i < 3; i++)
    {
      int s[2];
      char buf[20] = "";
      assert (socketpair (AF_UNIX, types[i] | SOCK_CLOEXEC, 0, s) == 0);
      assert (send (s[0], "hello", 5, 0) == 5 && send (s[0], "world", 5, MSG_NOSIGNAL) == 5);
      ssize_t n = recv (s[1], buf, 3, MSG_PEEK);
      n = recv (s[1], buf, sizeof buf, 0);
      printf ("%zd %s\n", n, buf);
      assert (shutdown (s[0], SHUT_WR) == 0);
      assert (recv (s[0], buf, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
      close (s[0]);
      close (s[1]);
    }
  return 0;
}
