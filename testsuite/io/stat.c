/* stat in all its forms, statx, statfs, utimensat, modes.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

int
main (void)
{
  struct stat st;
  struct statx stx;
  struct statfs fs;
  struct statvfs vfs;
  struct timespec times[2] = { { 1000000000, 5 }, { 1000000001, 6 } };
  umask (022);
  int fd = open ("file", O_RDWR | O_CREAT, 0666);
  assert (write (fd, "12345", 5) == 5 && futimens (fd, times) == 0 && chmod ("file", 0640) == 0);
  assert (symlink ("file", "link") == 0);
  assert (stat ("link", &st) == 0);
  printf ("%ld %o %ld.%ld\n", st.st_size, st.st_mode, st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
  assert (lstat ("link", &st) == 0);
  printf ("%ld %o\n", st.st_size, st.st_mode);
  assert (fstatat (AT_FDCWD, "none", &st, 0) == -1 && errno == ENOENT);
  assert (statx (fd, "", AT_EMPTY_PATH, STATX_ALL, &stx) == 0);
  printf ("%llu %o %d\n", stx.stx_size, stx.stx_mode, stx.stx_ino == 0);
  assert (statfs (".", &fs) == 0 && fstatfs (fd, &fs) == 0 && statvfs (".", &vfs) == 0);
  assert (fs.f_bsize == (long) vfs.f_bsize);
  assert (chown ("file", getuid (), (gid_t) -1) == 0 && faccessat (AT_FDCWD, "file", R_OK, 0) == 0);
  unlink ("file");
  unlink ("link");
  return 0;
}
