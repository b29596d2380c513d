/* The clock is read in a loop until time has passed: many calls.  */
#include <stdio.h>
#include <time.h>

int
main (void)
{
  struct timespec start, now;
  long reads = 0, elapsed;
  clock_gettime (CLOCK_MONOTONIC, &start);
  do
    {
      clock_gettime (CLOCK_MONOTONIC, &now);
      reads++;
      elapsed = (now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec;
    }
  while (elapsed < 10000000);
  printf ("%ld reads in %ld ns\n", reads, elapsed);
  return 0;
}
