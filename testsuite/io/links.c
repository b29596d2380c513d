/* Hard and symbolic links, readlink, realpath, mkfifo, renameat2.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
main (void)
{
  char buf[100] = "";
  struct stat st;
  close (open ("file", O_WRONLY | O_CREAT, 0600));
  assert (link ("file", "hard") == 0 && stat ("hard", &st) == 0 && st.st_nlink == 2);
  assert (symlink ("hard", "soft") == 0);
  assert (readlink ("soft", buf, sizeof buf) == 4);
  puts (buf);
  char *path = realpath ("soft", NULL);
  puts (strrchr (path, '/'));
  free (path);
  assert (readlink ("file", buf, sizeof buf) == -1 && errno == EINVAL);
  assert (mkfifo ("fifo", 0600) == 0 && stat ("fifo", &st) == 0 && S_ISFIFO (st.st_mode));
  assert (renameat2 (AT_FDCWD, "file", AT_FDCWD, "hard", RENAME_NOREPLACE) == -1 && errno == EEXIST);
  static const char *const names[] = { "file", "hard", "soft", "fifo" };
  for (int i = 0; i < 4; i++)
    assert (unlink (names[i]) == 0);
  return 0;
}
