/* Sessions and process groups of the program and of a child.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  int status;
  pid_t child = fork ();
  if (child == 0)
    {
      pid_t sid = setsid ();
      _exit (sid == getpid () && getsid (0) == sid && getpgrp () == sid ? 0 : 1);
    }
  waitpid (child, &status, 0);
  printf ("child %d\n", WEXITSTATUS (status));
  if (getpgrp () != getpid ())
    assert (setpgid (0, 0) == 0);
  assert (getpgid (0) == getpid ());
  assert (setsid () == -1 && errno == EPERM);
  puts ("leader");
  return 0;
}
