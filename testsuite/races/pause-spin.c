/* Spinning with pause, as locks do.  */
/* test: threads */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int turn;
static unsigned long spins[3];

static void *
run (void *arg)
{
  int me = (int) (long) arg;
  for (int i = 0; i < 3; i++)
    {
      while (atomic_load_explicit (&turn, memory_order_acquire) != me)
        {
          __builtin_ia32_pause ();
          spins[me]++;
        }
      atomic_store (&turn, (me + 1) % 3);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[3];
  for (long i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, run, (void *) i);
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  printf ("%lu %lu %lu\n", spins[0], spins[1], spins[2]);
  return 0;
}
