/* openat, openat2, O_PATH, O_TMPFILE, name_to_handle_at.  */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int
main (void)
{
  struct open_how how = { .flags = O_RDONLY, .resolve = RESOLVE_BENEATH };
  int dir = open (".", O_PATH | O_DIRECTORY);
  int fd = openat (dir, "file", O_CREAT | O_RDWR, 0600);
  assert (dir >= 0 && fd >= 0);
  long ret = syscall (SYS_openat2, dir, "file", &how, sizeof how);
  printf ("openat2: %d\n", ret >= 0 || errno == ENOSYS);
  ret = syscall (SYS_openat2, dir, "../x", &how, sizeof how);
  printf ("beneath: %d\n", ret == -1);
  int tmp = open (".", O_TMPFILE | O_RDWR, 0600);
  printf ("O_TMPFILE: %d\n", tmp >= 0 && write (tmp, "x", 1) == 1);
  struct file_handle *handle;
  char room[sizeof *handle + MAX_HANDLE_SZ];
  int mount;
  memset (room, 0, sizeof room);
  handle = (struct file_handle *) room;
  handle->handle_bytes = MAX_HANDLE_SZ;
  ret = name_to_handle_at (dir, "file", handle, &mount, 0);
  printf ("handle: %d, %u bytes\n", ret == 0 || errno == EOPNOTSUPP, handle->handle_bytes);
  unlinkat (dir, "file", 0);
  return 0;
}
