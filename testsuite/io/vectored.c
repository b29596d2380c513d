/* readv, writev, preadv, pwritev and their newer forms.  */
/* test: same-output */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

int
main (void)
{
  char a[4] = "", b[6] = "", c[3] = "";
  struct iovec w[3] = { { "ab", 2 }, { "cdefg", 5 }, { "hij", 3 } };
  struct iovec r[3] = { { a, 3 }, { b, 5 }, { c, 2 } };
  int fd = open ("file", O_RDWR | O_CREAT, 0600);
  assert (writev (fd, w, 3) == 10 && lseek (fd, 0, SEEK_SET) == 0 && readv (fd, r, 3) == 10);
  printf ("%s %s %s\n", a, b, c);
  assert (pwritev (fd, w + 2, 1, 0) == 3 && preadv (fd, r, 2, 1) == 8);
  printf ("%s %s %s\n", a, b, c);
  assert (pwritev2 (fd, w, 1, 8, RWF_DSYNC) == 2 && preadv2 (fd, r, 3, 4, 0) == 6);
  printf ("%s %s %s\n", a, b, c);
  assert (preadv2 (fd, r, 3, -1, 0) == 0);
  unlink ("file");
  return 0;
}
