/* An unhandled SIGSEGV, after some output.  */
/* test: same-output signal=11 */
#include <stdio.h>

int
main (void)
{
  puts ("before");
  fflush (stdout);
  *(volatile int *) 8 = 1;
  puts ("not reached");
  return 0;
}
