/* Extended attributes; exit 77 where the file system has none.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

int
main (void)
{
  char buf[100] = "";
  int fd = open ("file", O_RDWR | O_CREAT, 0600);
  if (setxattr ("file", "user.colour", "blue", 4, 0) < 0)
    {
      int skip = errno == ENOTSUP;
      unlink ("file");
      return skip ? 77 : 1;
    }
  assert (fsetxattr (fd, "user.size", "big", 3, XATTR_CREATE) == 0);
  assert (getxattr ("file", "user.colour", buf, sizeof buf) == 4);
  printf ("%s %zd\n", buf, fgetxattr (fd, "user.size", NULL, 0));
  assert (removexattr ("file", "user.colour") == 0);
  assert (getxattr ("file", "user.colour", buf, sizeof buf) == -1 && errno == ENODATA);
  ssize_t n = listxattr ("file", buf, sizeof buf);
  printf ("%d\n", n > 0 && memmem (buf, (size_t) n, "user.size", 9) != NULL);
  unlink ("file");
  return 0;
}
