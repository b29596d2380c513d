/* A loop whose only progress is a counter in memory: every register is
   the same at each arrival.  Unoptimised.  */
/* build: -O0 */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned counter[2];
static unsigned seen[2];

static void *
count (void *arg)
{
  long me = (long) arg;
  counter[me] = 0;
  while (counter[me] < 40000000)
    counter[me]++;
  seen[me] = counter[!me];
  return NULL;
}

int
main (void)
{
  pthread_t t[2];
  for (long i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, count, (void *) i);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  printf ("%u %u\n", seen[0], seen[1]);
  return 0;
}
