/* Four threads fight for one mutex; the order in which they got it is
   printed as a hash.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long hash;
static int total;

static void *
work (void *arg)
{
  for (int i = 0; i < 500; i++)
    {
      pthread_mutex_lock (&lock);
      hash = hash * 31 + (unsigned long) arg;
      total++;
      pthread_mutex_unlock (&lock);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[4];
  for (long i = 0; i < 4; i++)
    pthread_create (&t[i], NULL, work, (void *) (i + 1));
  for (int i = 0; i < 4; i++)
    pthread_join (t[i], NULL);
  assert (total == 2000);
  printf ("%lx\n", hash);
  return 0;
}
