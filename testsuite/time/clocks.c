/* clock_gettime of every clock, clock_getres, gettimeofday, time.  */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

int
main (void)
{
  for (int clock = 0; clock < 12; clock++)
    {
      struct timespec now = { 0, 0 }, res = { 0, 0 };
      int ret = clock_gettime (clock, &now);
      clock_getres (clock, &res);
      printf ("%d: %d %ld.%09ld %ld\n", clock, ret, now.tv_sec, now.tv_nsec, res.tv_nsec);
    }
  struct timeval tv;
  gettimeofday (&tv, NULL);
  printf ("%ld.%06ld %ld\n", tv.tv_sec, tv.tv_usec, time (NULL));
  return 0;
}
