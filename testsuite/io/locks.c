/* File locks: fcntl's, open file descriptions', flock, lockf; a child
   holds one that the program waits for.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10 };
  int ready[2], go[2];
  char c;
  int fd = open ("file", O_RDWR | O_CREAT, 0600);
  assert (pipe (ready) == 0 && pipe (go) == 0);
  pid_t child = fork ();
  if (child == 0)
    {
      assert (fcntl (fd, F_SETLK, &lock) == 0 && write (ready[1], "x", 1) == 1);
      assert (read (go[0], &c, 1) == 1);
      _exit (0);
    }
  assert (read (ready[0], &c, 1) == 1);
  assert (fcntl (fd, F_SETLK, &lock) == -1 && (errno == EAGAIN || errno == EACCES));
  assert (fcntl (fd, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK);
  printf ("held by child: %d\n", lock.l_pid == child);
  assert (write (go[1], "x", 1) == 1);
  lock = (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10 };
  assert (fcntl (fd, F_SETLKW, &lock) == 0);
  puts ("mine");
  waitpid (child, NULL, 0);
  int other = open ("file", O_RDWR);
  assert (flock (fd, LOCK_EX) == 0 && flock (other, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
  struct flock ofd = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 100, .l_len = 1 };
  assert (fcntl (other, F_OFD_SETLK, &ofd) == 0 && lockf (fd, F_TEST, 5) == 0);
  unlink ("file");
  return 0;
}
