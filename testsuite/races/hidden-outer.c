/* An inner loop whose registers and stack repeat in every round; only a
   word far away, touched once per round, tells the rounds apart.  */
/* build: -O0 */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned long rounds[2][4096];

static void
spin (void)
{
  for (volatile int i = 0; i < 1000000; i++)
    ;
}

static void *
run (void *arg)
{
  volatile unsigned long *mine = &rounds[(long) arg][2222];
  while (*mine < 120)
    {
      spin ();
      ++*mine;
    }
  return (void *) rounds[!(long) arg][2222];
}

int
main (void)
{
  pthread_t t[2];
  for (long i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, run, (void *) i);
  for (int i = 0; i < 2; i++)
    {
      void *ret;
      pthread_join (t[i], &ret);
      printf ("%lu\n", (unsigned long) ret);
    }
  return 0;
}
