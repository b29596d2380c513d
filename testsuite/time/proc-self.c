/* /proc/self: maps, status, stat, cmdline, exe, fd, auxv, task.  */
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main (void)
{
  static const char *const names[] = { "maps", "status", "stat", "cmdline", "auxv", "limits", "mounts" };
  static char buf[65536];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    {
      char path[64];
      unsigned long hash = 0;
      long size = 0;
      ssize_t n;
      snprintf (path, sizeof path, "/proc/self/%s", names[i]);
      int fd = open (path, O_RDONLY);
      assert (fd >= 0);
      while ((n = read (fd, buf, sizeof buf)) > 0)
        {
          size += n;
          for (ssize_t k = 0; k < n; k++)
            hash = hash * 31 + (unsigned char) buf[k];
        }
      close (fd);
      printf ("%s: %ld bytes, %lx\n", names[i], size, hash);
    }
  ssize_t n = readlink ("/proc/self/exe", buf, sizeof buf - 1);
  assert (n > 0);
  buf[n] = 0;
  puts (strrchr (buf, '/'));
  int fds = 0, tasks = 0;
  DIR *dir = opendir ("/proc/self/fd");
  while (readdir (dir))
    fds++;
  closedir (dir);
  dir = opendir ("/proc/self/task");
  while (readdir (dir))
    tasks++;
  closedir (dir);
  printf ("%d %d\n", fds, tasks);
  return 0;
}
