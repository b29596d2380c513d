/* fallocate, holes, SEEK_HOLE and SEEK_DATA, sync_file_range.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  int fd = open ("file", O_RDWR | O_CREAT, 0600);
  char c = 1;
  assert (posix_fallocate (fd, 0, 65536) == 0 && lseek (fd, 0, SEEK_END) == 65536);
  int ret = fallocate (fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 8192);
  printf ("punched: %d\n", ret == 0 || errno == EOPNOTSUPP);
  assert (pread (fd, &c, 1, 5000) == 1 && c == 0);
  assert (ftruncate (fd, 1 << 20) == 0 && pwrite (fd, "x", 1, 800000) == 1);
  printf ("data at or before 800000: %d\n", lseek (fd, 700000, SEEK_DATA) <= 800000);
  sync_file_range (fd, 0, 4096, SYNC_FILE_RANGE_WRITE);
  readahead (fd, 0, 4096);
  unlink ("file");
  return 0;
}
