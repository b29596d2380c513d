/* What the program has used: getrusage, times, clock, CPU clocks.  */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>

int
main (void)
{
  struct rusage usage;
  struct tms tms;
  struct timespec cpu;
  clockid_t clock_id;
  for (volatile int i = 0; i < 3000000; i++)
    ;
  assert (getrusage (RUSAGE_SELF, &usage) == 0);
  printf ("%ld us, %ld KB, %ld faults\n", usage.ru_utime.tv_usec, usage.ru_maxrss, usage.ru_minflt);
  getrusage (RUSAGE_THREAD, &usage);
  printf ("%ld ticks, %ld, %ld\n", times (&tms), tms.tms_utime, clock ());
  pthread_getcpuclockid (pthread_self (), &clock_id);
  clock_gettime (clock_id, &cpu);
  printf ("%ld ns\n", cpu.tv_nsec);
  return 0;
}
