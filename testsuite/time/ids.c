/* getpid, gettid, getppid, process group, session, user, all agreeing.  */
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  assert (getpid () == gettid ());
  printf ("%d %d %d %d %u %u\n", getpid (), getppid (), getpgrp (), getsid (0), getuid (),
          getegid ());
  return 0;
}
