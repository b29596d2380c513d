/* Long nested loops, the inner ones alike in every round of the outer.  */
/* build: -O0 */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned long progress[2];

static void
run_inner (void)
{
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 30; j++)
      for (int k = 0; k < 30; k++)
        ;
}

static void *
run (void *arg)
{
  long me = (long) arg;
  for (int i = 0; i < 1500; i++)
    {
      run_inner ();
      progress[me]++;
    }
  return (void *) progress[!me];
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
