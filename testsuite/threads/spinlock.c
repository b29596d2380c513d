/* A spin lock: whoever finds it taken burns its whole slice.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static unsigned long hash;
static int total;

static void *
work (void *arg)
{
  for (int i = 0; i < 200; i++)
    {
      pthread_spin_lock (&lock);
      hash = hash * 31 + (unsigned long) arg;
      total++;
      pthread_spin_unlock (&lock);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[3];
  pthread_spin_init (&lock, 0);
  for (long i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, work, (void *) (i + 1));
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  assert (total == 600);
  printf ("%lx\n", hash);
  return 0;
}
