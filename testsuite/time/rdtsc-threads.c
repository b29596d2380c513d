/* Threads read the time stamp: their order is what the stamps say.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>
#include <x86intrin.h>

static unsigned long long stamps[3][20];

static void *
take (void *arg)
{
  for (int i = 0; i < 20; i++)
    {
      for (volatile int d = 0; d < 1000; d++)
        ;
      stamps[(long) arg][i] = __rdtsc ();
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[3];
  for (long i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, take, (void *) i);
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  for (int i = 0; i < 20; i++)
    printf ("%llu %llu %llu\n", stamps[0][i], stamps[1][i], stamps[2][i]);
  return 0;
}
