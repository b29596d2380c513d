/* inotify: events about files in a directory.  */
/* test: same-output */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

int
main (void)
{
  _Alignas (struct inotify_event) char buf[4096];
  int fd = inotify_init1 (IN_CLOEXEC);
  assert (fd >= 0 && mkdir ("watched", 0700) == 0);
  int wd = inotify_add_watch (fd, "watched", IN_CREATE | IN_DELETE | IN_MOVE | IN_CLOSE_WRITE);
  assert (wd >= 0);
  close (open ("watched/a", O_CREAT | O_WRONLY, 0600));
  assert (rename ("watched/a", "watched/b") == 0 && unlink ("watched/b") == 0);
  ssize_t n = read (fd, buf, sizeof buf);
  for (ssize_t i = 0; i < n;)
    {
      struct inotify_event *e = (struct inotify_event *) (buf + i);
      printf ("%x %s\n", e->mask, e->name);
      i += (ssize_t) (sizeof *e + e->len);
    }
  assert (inotify_rm_watch (fd, wd) == 0);
  rmdir ("watched");
  return 0;
}
