/* splice, tee and vmsplice between pipes and files.  */
/* test: same-output */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

int
main (void)
{
  int a[2], b[2];
  char buf[30] = "";
  struct iovec iov = { "gathered", 8 };
  loff_t off = 2;
  assert (pipe (a) == 0 && pipe (b) == 0);
  int fd = open ("file", O_RDWR | O_CREAT, 0600);
  assert (write (fd, "0123456789", 10) == 10);
  assert (splice (fd, &off, a[1], NULL, 5, 0) == 5 && off == 7);
  assert (tee (a[0], b[1], 5, 0) == 5);
  assert (vmsplice (a[1], &iov, 1, 0) == 8);
  assert (read (a[0], buf, 13) == 13 && read (b[0], buf + 13, 5) == 5);
  puts (buf);
  assert (vmsplice (a[1], &iov, 1, 0) == 8);
  assert (splice (a[0], NULL, fd, NULL, 8, SPLICE_F_MOVE) == 8 && lseek (fd, 0, SEEK_CUR) == 18);
  unlink ("file");
  return 0;
}
