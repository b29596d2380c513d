/* Many waiters are woken at once; the order of waking is printed.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 12 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int here, started;
static char order[N + 1];
static int n_order;

static void *
wait_for_start (void *arg)
{
  pthread_mutex_lock (&lock);
  if (++here == N)
    pthread_cond_signal (&all_here);
  while (!started)
    pthread_cond_wait (&go, &lock);
  order[n_order++] = (char) ('a' + (long) arg);
  pthread_mutex_unlock (&lock);
  return NULL;
}

int
main (void)
{
  pthread_t t[N];
  for (long i = 0; i < N; i++)
    assert (pthread_create (&t[i], NULL, wait_for_start, (void *) i) == 0);
  pthread_mutex_lock (&lock);
  while (here < N)
    pthread_cond_wait (&all_here, &lock);
  started = 1;
  pthread_cond_broadcast (&go);
  pthread_mutex_unlock (&lock);
  for (int i = 0; i < N; i++)
    pthread_join (t[i], NULL);
  puts (order);
  return 0;
}
