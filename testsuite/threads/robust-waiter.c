/* As robust-mutex, but others wait in the kernel when the owner dies.  */
/* test: threads */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 4 };
static pthread_mutex_t lock;
static char order[2 * N + 1];
static int n_order;

static void *
take (void *arg)
{
  int ret = pthread_mutex_lock (&lock);
  assert (ret == EOWNERDEAD || ret == 0);
  if (ret == EOWNERDEAD)
    pthread_mutex_consistent (&lock);
  order[n_order++] = (char) ('a' + (long) arg);
  order[n_order++] = ret ? '!' : '.';
  return NULL;
}

int
main (void)
{
  pthread_t t[N];
  pthread_mutexattr_t attr;
  pthread_mutexattr_init (&attr);
  pthread_mutexattr_setrobust (&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init (&lock, &attr);
  for (long i = 0; i < N; i++)
    pthread_create (&t[i], NULL, take, (void *) i);
  for (int i = 0; i < N; i++)
    pthread_join (t[i], NULL);
  puts (order);
  return 0;
}
