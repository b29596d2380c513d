/* TCP over IPv6, with a non-blocking connect.  Exit 77 without IPv6.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int
main (void)
{
  struct sockaddr_in6 addr = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
  socklen_t len = sizeof addr;
  char buf[10] = "";
  int listening = socket (AF_INET6, SOCK_STREAM, 0);
  if (listening < 0 || bind (listening, (struct sockaddr *) &addr, len) < 0)
    return 77;
  assert (listen (listening, 1) == 0);
  getsockname (listening, (struct sockaddr *) &addr, &len);
  int s = socket (AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0), error = -1;
  int ret = connect (s, (struct sockaddr *) &addr, len);
  assert (ret == 0 || errno == EINPROGRESS);
  struct pollfd p = { .fd = s, .events = POLLOUT };
  assert (poll (&p, 1, 1000) == 1);
  len = sizeof error;
  assert (getsockopt (s, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0);
  int c = accept (listening, NULL, NULL);
  assert (write (s, "six", 3) == 3 && read (c, buf, 3) == 3);
  puts (buf);
  return 0;
}
