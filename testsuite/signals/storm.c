/* Many signals at short intervals in code that makes calls, allocates and
   computes.  */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int count;
static volatile unsigned long hash, progress;

static void
handle (int sig)
{
  (void) sig;
  hash = hash * 31 + progress;
  count++;
}

int
main (void)
{
  struct itimerval fast = { { 0, 300 }, { 0, 300 } };
  signal (SIGALRM, handle);
  setitimer (ITIMER_REAL, &fast, NULL);
  while (count < 100)
    {
      free (malloc (progress % 5000));
      if (progress % 64 == 0)
        getppid ();
      progress++;
    }
  printf ("%lx %lu\n", hash, progress);
  return 0;
}
