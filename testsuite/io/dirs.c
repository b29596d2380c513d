/* Directories: made, changed to, listed, removed.  */
/* test: same-output */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
main (void)
{
  char cwd[4096], name[20];
  int n = 0, files = 0;
  assert (mkdir ("dir", 0755) == 0 && chdir ("dir") == 0 && getcwd (cwd, sizeof cwd));
  puts (strrchr (cwd, '/'));
  for (int i = 0; i < 300; i++)
    {
      snprintf (name, sizeof name, "file-%d", i);
      close (open (name, O_CREAT | O_WRONLY, 0600));
    }
  DIR *dir = opendir (".");
  for (struct dirent *e; (e = readdir (dir)); n++)
    files += e->d_type == DT_REG;
  rewinddir (dir);
  assert (readdir (dir));
  closedir (dir);
  printf ("%d entries, %d files\n", n, files);
  for (int i = 0; i < 300; i++)
    {
      snprintf (name, sizeof name, "file-%d", i);
      assert (unlink (name) == 0);
    }
  int fd = open ("..", O_RDONLY | O_DIRECTORY);
  assert (fchdir (fd) == 0 && mkdirat (fd, "dir/sub", 0700) == 0);
  assert (rmdir ("dir") == -1 && errno == ENOTEMPTY);
  assert (unlinkat (fd, "dir/sub", AT_REMOVEDIR) == 0 && rmdir ("dir") == 0);
  return 0;
}
