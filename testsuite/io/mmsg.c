/* sendmmsg and recvmmsg: several messages, addresses included.  */
/* test: same-output */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int
main (void)
{
  struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr = { htonl (INADDR_LOOPBACK) } };
  struct sockaddr_in from[4];
  socklen_t len = sizeof addr;
  struct mmsghdr msgs[4];
  struct iovec iov[4];
  char buf[4][20] = { "one", "two", "three", "four" };
  int a = socket (AF_INET, SOCK_DGRAM, 0), b = socket (AF_INET, SOCK_DGRAM, 0);
  assert (bind (a, (struct sockaddr *) &addr, len) == 0);
  getsockname (a, (struct sockaddr *) &addr, &len);
  memset (msgs, 0, sizeof msgs);
  for (int i = 0; i < 4; i++)
    {
      iov[i] = (struct iovec){ buf[i], strlen (buf[i]) };
      msgs[i].msg_hdr = (struct msghdr){ .msg_name = &addr, .msg_namelen = len, .msg_iov = &iov[i],
                                         .msg_iovlen = 1 };
    }
  assert (sendmmsg (b, msgs, 4, 0) == 4);
  memset (buf, 0, sizeof buf);
  for (int i = 0; i < 4; i++)
    {
      iov[i].iov_len = sizeof buf[i];
      msgs[i].msg_hdr.msg_name = &from[i];
      msgs[i].msg_hdr.msg_namelen = sizeof from[i];
    }
  int n = recvmmsg (a, msgs, 4, MSG_WAITFORONE, NULL);
  for (int i = 0; i < n; i++)
    printf ("%u %s %d\n", msgs[i].msg_len, buf[i], from[i].sin_family == AF_INET);
  return 0;
}
