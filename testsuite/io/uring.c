/* io_uring, if the kernel (or the recorder) offers it; a program falls
   back where it does not.  */
#include <errno.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main (void)
{
  struct io_uring_params params;
  char buf[10] = "";
  int fds[2];
  memset (&params, 0, sizeof params);
  long ring = syscall (SYS_io_uring_setup, 8, &params);
  if (ring < 0)
    printf ("falling back: %d\n", errno == ENOSYS || errno == EPERM);
  else
    close ((int) ring);
  if (pipe (fds) < 0 || write (fds[1], "plain", 5) != 5 || read (fds[0], buf, 5) != 5)
    return 1;
  puts (buf);
  return 0;
}
