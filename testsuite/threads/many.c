/* 64 threads at once, all alive until the last has come.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 64 };
static pthread_barrier_t all;
static unsigned long hash;
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
work (void *arg)
{
  pthread_barrier_wait (&all);
  for (int i = 0; i < 5; i++)
    {
      pthread_mutex_lock (&lock);
      hash = hash * 131 + (unsigned long) arg;
      total++;
      pthread_mutex_unlock (&lock);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[N];
  pthread_barrier_init (&all, NULL, N);
  for (long i = 0; i < N; i++)
    assert (pthread_create (&t[i], NULL, work, (void *) i) == 0);
  for (int i = 0; i < N; i++)
    pthread_join (t[i], NULL);
  printf ("%d %lx\n", total, hash);
  return 0;
}
