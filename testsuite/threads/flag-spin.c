/* A thread waits for an atomic flag in a loop without a call.  */
/* test: threads */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;
static unsigned long spins;

static void *
wait_for_flag (void *arg)
{
  for (int i = 1; i <= 5; i++)
    {
      while (atomic_load (&flag) != 2 * i - 1)
        spins++;
      atomic_store (&flag, 2 * i);
    }
  return arg;
}

int
main (void)
{
  pthread_t t;
  unsigned long my_spins = 0;
  pthread_create (&t, NULL, wait_for_flag, NULL);
  for (int i = 1; i <= 5; i++)
    {
      atomic_store (&flag, 2 * i - 1);
      while (atomic_load (&flag) != 2 * i)
        my_spins++;
    }
  pthread_join (t, NULL);
  printf ("%lu %lu\n", my_spins, spins);
  return 0;
}
