/* Three threads share the state of a random generator without a lock:
   one lost update changes everything after it.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned long state = 1;

static void *
run (void *arg)
{
  unsigned long sum = 0;
  for (int i = 0; i < 3000000; i++)
    {
      state = state * 6364136223846793005 + 1442695040888963407;
      sum ^= state;
    }
  *(unsigned long *) arg = sum;
  return NULL;
}

int
main (void)
{
  pthread_t t[3];
  unsigned long sum[3];
  for (int i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, run, &sum[i]);
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  printf ("%lx %lx %lx %lx\n", state, sum[0], sum[1], sum[2]);
  return 0;
}
