/* A program at a fixed address.  */
/* build: -no-pie */
/* test: same-output */
#include <stdio.h>

static int here = 5;

int
main (void)
{
  printf ("%d %d\n", here, (unsigned long) &here < 0x10000000);
  return 0;
}
