/* ioctls of ordinary programs, on files, pipes, sockets and no terminal.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

int
main (void)
{
  int fds[2], n = -1, on = 1;
  struct termios t;
  struct winsize w;
  struct ifreq req;
  assert (pipe (fds) == 0 && write (fds[1], "12345", 5) == 5);
  assert (ioctl (fds[0], FIONREAD, &n) == 0);
  printf ("FIONREAD %d\n", n);
  assert (ioctl (fds[0], FIONBIO, &on) == 0);
  printf ("O_NONBLOCK %d\n", (fcntl (fds[0], F_GETFL) & O_NONBLOCK) != 0);
  assert (ioctl (fds[0], FIOCLEX) == 0 && fcntl (fds[0], F_GETFD) == FD_CLOEXEC);
  assert (ioctl (fds[0], TCGETS, &t) == -1 && errno == ENOTTY);
  assert (ioctl (fds[0], TIOCGWINSZ, &w) == -1 && errno == ENOTTY);
  assert (ioctl (fds[0], 0x12345678, 0) == -1 && errno == ENOTTY);
  int s = socket (AF_INET, SOCK_DGRAM, 0);
  memset (&req, 0, sizeof req);
  strcpy (req.ifr_name, "lo");
  printf ("SIOCGIFINDEX %d\n", ioctl (s, SIOCGIFINDEX, &req) == 0 ? req.ifr_ifindex : -1);
  printf ("SIOCGIFFLAGS %d\n", ioctl (s, SIOCGIFFLAGS, &req));
  return 0;
}
