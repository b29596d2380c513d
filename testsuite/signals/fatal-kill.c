/* SIGKILL to itself: no stop is reported before the end.  */
/* test: same-output signal=9 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  puts ("good-bye");
  fflush (stdout);
  kill (getpid (), SIGKILL);
  puts ("not reached");
  return 0;
}
