/* The smallest ordinary program.  */
/* test: same-output */
#include <stdio.h>

int
main (void)
{
  puts ("hello");
  return 0;
}
