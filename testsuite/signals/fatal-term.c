/* Death by an ordinary signal that the program sends to itself.  */
/* test: same-output signal=15 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  puts ("good-bye");
  fflush (stdout);
  kill (getpid (), SIGTERM);
  puts ("not reached");
  return 0;
}
