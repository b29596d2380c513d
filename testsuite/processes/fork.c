/* fork: the child's end is waited for; its output comes in between.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  int status, value = 1;
  fflush (stdout);
  pid_t child = fork ();
  if (child == 0)
    {
      value = 2;
      printf ("child: %d\n", value);
      fflush (stdout);
      _exit (value + 5);
    }
  assert (waitpid (child, &status, 0) == child);
  printf ("parent: %d, child ended with %d\n", value, WEXITSTATUS (status));
  return 0;
}
