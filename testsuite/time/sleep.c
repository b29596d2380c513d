/* nanosleep and clock_nanosleep, relative and absolute; usleep.  */
#include <assert.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int
main (void)
{
  struct timespec t = { 0, 2000000 }, now, later;
  clock_gettime (CLOCK_MONOTONIC, &now);
  assert (nanosleep (&t, NULL) == 0);
  assert (clock_nanosleep (CLOCK_REALTIME, 0, &t, NULL) == 0);
  assert (usleep (2000) == 0);
  later = now;
  later.tv_nsec += 8000000;
  if (later.tv_nsec >= 1000000000)
    {
      later.tv_sec++;
      later.tv_nsec -= 1000000000;
    }
  assert (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &later, NULL) == 0);
  clock_gettime (CLOCK_MONOTONIC, &later);
  printf ("%ld ns\n", (later.tv_sec - now.tv_sec) * 1000000000 + later.tv_nsec - now.tv_nsec);
  return 0;
}
