/* vfork: the child borrows memory and stack until it execs or exits, and
   what it writes there stays.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int shared;

int
main (void)
{
  int status;
  char *const args[] = { "sh", "-c", "exit 7", NULL };
  pid_t child = vfork ();
  if (child == 0)
    {
      shared = 42;
      _exit (3);
    }
  assert (waitpid (child, &status, 0) == child);
  printf ("%d, %d\n", WEXITSTATUS (status), shared);
  child = vfork ();
  if (child == 0)
    {
      shared++;
      execv ("/bin/sh", args);
      _exit (127);
    }
  assert (waitpid (child, &status, 0) == child);
  printf ("%d, %d\n", WEXITSTATUS (status), shared);
  return 0;
}
