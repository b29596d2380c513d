/* dup in all forms, close_range, flags, owners, limits.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  int fds[2];
  assert (pipe (fds) == 0);
  assert (dup2 (fds[0], 50) == 50 && dup3 (fds[1], 51, O_CLOEXEC) == 51);
  printf ("%d %d\n", fcntl (50, F_GETFD), fcntl (51, F_GETFD));
  printf ("%d %d\n", fcntl (fds[0], F_DUPFD, 60), fcntl (fds[0], F_DUPFD_CLOEXEC, 60));
  assert (dup2 (999, 5) == -1 && errno == EBADF);
  assert (fcntl (50, F_SETFL, O_NONBLOCK) == 0);
  printf ("%d\n", (fcntl (fds[0], F_GETFL) & O_NONBLOCK) != 0);
  assert (close_range (50, 61, 0) == 0 && fcntl (60, F_GETFD) == -1);
  assert (fcntl (fds[0], F_SETOWN, getpid ()) == 0 && fcntl (fds[0], F_GETOWN) == getpid ());
  return 0;
}
