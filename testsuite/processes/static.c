/* A statically linked program.  */
/* build: -static */
/* test: same-output exit=1 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int
main (void)
{
  struct timespec now;
  char *p = malloc (100000);
  clock_gettime (CLOCK_REALTIME, &now);
  printf ("static %d\n", p != NULL && now.tv_sec > 0);
  free (p);
  return 1;
}
