/* A child outlives the program; it ends when its pipe closes.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  int fds[2];
  char c;
  assert (pipe (fds) == 0);
  if (fork () == 0)
    {
      close (fds[1]);
      _exit (read (fds[0], &c, 1) != 0);
    }
  puts ("leaving");
  return 0;
}
