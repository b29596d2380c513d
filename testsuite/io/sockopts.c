/* Socket options of several sizes, buffers that are too short.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

int
main (void)
{
  int value = 0, s = socket (AF_INET, SOCK_STREAM, 0);
  socklen_t len = sizeof value;
  struct linger linger = { 1, 5 };
  struct tcp_info info;
  assert (getsockopt (s, SOL_SOCKET, SO_TYPE, &value, &len) == 0);
  printf ("type %d, %u bytes\n", value, len);
  assert (setsockopt (s, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) == 0);
  linger.l_linger = 0;
  len = sizeof linger;
  assert (getsockopt (s, SOL_SOCKET, SO_LINGER, &linger, &len) == 0);
  printf ("linger %d\n", linger.l_linger);
  value = 0x55555555;
  len = 1;
  assert (getsockopt (s, SOL_SOCKET, SO_TYPE, &value, &len) == 0);
  printf ("short: %x, %u\n", (unsigned) value, len);
  len = sizeof info;
  assert (getsockopt (s, IPPROTO_TCP, TCP_INFO, &info, &len) == 0);
  printf ("state %d\n", info.tcpi_state);
  assert (getsockopt (s, SOL_SOCKET, 9999, &value, &len) == -1 && errno == ENOPROTOOPT);
  return 0;
}
