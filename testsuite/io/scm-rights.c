/* Ancillary data: descriptors and credentials passed in messages.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int
main (void)
{
  int s[2], p[2], one = 1, got_fds[2] = { -1, -1 };
  struct ucred cred = { 0, 0, 0 };
  char data[10] = "", control[200], c = 'c';
  struct iovec iov = { "abc", 3 };
  struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
  assert (socketpair (AF_UNIX, SOCK_STREAM, 0, s) == 0 && pipe (p) == 0);
  assert (setsockopt (s[1], SOL_SOCKET, SO_PASSCRED, &one, sizeof one) == 0);
  struct cmsghdr *cm = (struct cmsghdr *) control;
  msg.msg_controllen = CMSG_SPACE (sizeof p);
  cm->cmsg_level = SOL_SOCKET;
  cm->cmsg_type = SCM_RIGHTS;
  cm->cmsg_len = CMSG_LEN (sizeof p);
  memcpy (CMSG_DATA (cm), p, sizeof p);
  assert (sendmsg (s[0], &msg, 0) == 3);
  iov = (struct iovec){ data, sizeof data };
  msg.msg_controllen = sizeof control;
  ssize_t n = recvmsg (s[1], &msg, MSG_CMSG_CLOEXEC);
  printf ("%zd %s, control %zu\n", n, data, (size_t) msg.msg_controllen);
  for (cm = CMSG_FIRSTHDR (&msg); cm; cm = CMSG_NXTHDR (&msg, cm))
    if (cm->cmsg_type == SCM_RIGHTS)
      memcpy (got_fds, CMSG_DATA (cm), sizeof got_fds);
    else if (cm->cmsg_type == SCM_CREDENTIALS)
      memcpy (&cred, CMSG_DATA (cm), sizeof cred);
  assert (write (got_fds[1], &c, 1) == 1 && read (p[0], data, 1) == 1);
  printf ("%c, pid %d\n", data[0], cred.pid == getpid ());
  return 0;
}
