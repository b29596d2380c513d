/* A timer fires in pure computation: the points where it did are told by
   counters in memory and in registers.  */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile unsigned long work, seen[5];
static volatile int count;

static void
handle (int sig)
{
  (void) sig;
  if (count < 5)
    seen[count++] = work;
}

int
main (void)
{
  struct itimerval fast = { { 0, 3000 }, { 0, 3000 } };
  unsigned long x = 1;
  signal (SIGALRM, handle);
  setitimer (ITIMER_REAL, &fast, NULL);
  while (count < 5)
    {
      x = x * 6364136223846793005 + 1;
      if (x >> 62 == 3)
        work++;
    }
  for (int i = 0; i < 5; i++)
    printf ("%lu ", seen[i]);
  printf ("%lx\n", x);
  return 0;
}
