/* A pseudo terminal: made, set raw and cooked, resized, echoing, with an
   interrupt character that is only data here.  */
/* test: same-output */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int
main (void)
{
  char buf[100] = "", name[100];
  struct termios t;
  struct winsize size = { 50, 132, 0, 0 };
  int master = posix_openpt (O_RDWR | O_NOCTTY);
  assert (master >= 0 && grantpt (master) == 0 && unlockpt (master) == 0);
  assert (ptsname_r (master, name, sizeof name) == 0);
  int slave = open (name, O_RDWR | O_NOCTTY);
  assert (slave >= 0 && isatty (slave) && !isatty (master) == !isatty (slave));
  assert (write (master, "line\n", 5) == 5 && read (slave, buf, sizeof buf) == 5);
  ssize_t n = read (master, buf + 5, sizeof buf - 5);
  printf ("cooked: %.4s, echoed %zd\n", buf, n);
  assert (ioctl (master, TIOCSWINSZ, &size) == 0);
  memset (&size, 0, sizeof size);
  assert (ioctl (slave, TIOCGWINSZ, &size) == 0);
  printf ("%d x %d\n", size.ws_row, size.ws_col);
  assert (tcgetattr (slave, &t) == 0);
  cfmakeraw (&t);
  assert (tcsetattr (slave, TCSADRAIN, &t) == 0 && tcflush (slave, TCIOFLUSH) == 0);
  assert (write (master, "\003raw", 4) == 4);
  n = read (slave, buf, sizeof buf);
  printf ("raw: %zd, %d\n", n, buf[0]);
  return 0;
}
