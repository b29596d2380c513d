/* abort: a handler that returns does not save the program.  */
/* test: same-output signal=6 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void
handle (int sig)
{
  printf ("signal %d\n", sig);
  fflush (stdout);
}

int
main (void)
{
  signal (SIGABRT, handle);
  abort ();
}
