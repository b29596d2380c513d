/* Peterson's algorithm: mutual exclusion by busy waiting alone.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int wants[2], turn;
static int inside, total;
static unsigned long spins[2];

static void *
run (void *arg)
{
  long me = (long) arg;
  for (int i = 0; i < 10; i++)
    {
      atomic_store (&wants[me], 1);
      atomic_store (&turn, !me);
      while (atomic_load (&wants[!me]) && atomic_load (&turn) == !me)
        spins[me]++;
      assert (inside++ == 0);
      total++;
      inside--;
      atomic_store (&wants[me], 0);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[2];
  for (long i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, run, (void *) i);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  printf ("%d %lu %lu\n", total, spins[0], spins[1]);
  return 0;
}
