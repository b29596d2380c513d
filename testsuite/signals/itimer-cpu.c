/* Timers on CPU time: ITIMER_VIRTUAL and ITIMER_PROF.  */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile int virtual, prof;
static volatile unsigned long work;

static void
handle (int sig)
{
  if (sig == SIGVTALRM)
    virtual ++;
  else
    prof++;
}

int
main (void)
{
  struct itimerval fast = { { 0, 4000 }, { 0, 4000 } };
  signal (SIGVTALRM, handle);
  signal (SIGPROF, handle);
  setitimer (ITIMER_VIRTUAL, &fast, NULL);
  setitimer (ITIMER_PROF, &fast, NULL);
  while (virtual < 3 || prof < 3)
    work++;
  printf ("%d %d %lu\n", virtual, prof, work);
  return 0;
}
