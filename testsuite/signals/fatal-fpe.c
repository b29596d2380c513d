/* An unhandled SIGFPE.  */
/* test: same-output signal=8 */
#include <stdio.h>

int
main (void)
{
  volatile int zero = 0;
  return 100 / zero;
}
