/* Files: written, read, sought, truncated, renamed, removed.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  char buf[20] = "";
  int fd = open ("file", O_RDWR | O_CREAT | O_EXCL, 0644);
  assert (fd >= 0 && write (fd, "0123456789", 10) == 10);
  assert (open ("file", O_CREAT | O_EXCL | O_RDWR, 0644) == -1 && errno == EEXIST);
  assert (lseek (fd, 3, SEEK_SET) == 3 && read (fd, buf, 3) == 3);
  assert (pwrite (fd, "xy", 2, 0) == 2 && pread (fd, buf + 3, 3, 0) == 3);
  puts (buf);
  assert (ftruncate (fd, 5) == 0 && lseek (fd, 0, SEEK_END) == 5);
  assert (truncate ("file", 4) == 0 && read (fd, buf, 1) == 0);
  assert (rename ("file", "other") == 0 && access ("file", F_OK) == -1);
  assert (fsync (fd) == 0 && fdatasync (fd) == 0 && posix_fadvise (fd, 0, 0, POSIX_FADV_NORMAL) == 0);
  assert (unlink ("other") == 0 && close (fd) == 0);
  assert (read (fd, buf, 1) == -1 && errno == EBADF);
  puts ("done");
  return 0;
}
