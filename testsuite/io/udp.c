/* UDP on the loopback interface: sendto and recvfrom with addresses.  */
/* test: same-output */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>

int
main (void)
{
  struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr = { htonl (INADDR_LOOPBACK) } }, from;
  socklen_t len = sizeof addr;
  struct timeval limit = { 0, 5000 };
  char buf[20] = "";
  int a = socket (AF_INET, SOCK_DGRAM, 0), b = socket (AF_INET, SOCK_DGRAM, 0);
  assert (bind (a, (struct sockaddr *) &addr, len) == 0);
  getsockname (a, (struct sockaddr *) &addr, &len);
  assert (sendto (b, "datagram", 8, 0, (struct sockaddr *) &addr, len) == 8);
  len = sizeof from;
  assert (recvfrom (a, buf, sizeof buf, 0, (struct sockaddr *) &from, &len) == 8);
  printf ("%s from %s\n", buf, inet_ntoa (from.sin_addr));
  assert (sendto (a, "answer", 6, 0, (struct sockaddr *) &from, len) == 6);
  ssize_t n = recvfrom (b, buf, 3, MSG_TRUNC, NULL, NULL);
  printf ("%zd %.3s\n", n, buf);
  setsockopt (a, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  assert (recv (a, buf, 1, 0) == -1 && errno == EAGAIN);
  return 0;
}
