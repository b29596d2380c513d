/* A thread dies with a robust mutex in its hands: the kernel marks it.  */
/* test: threads same-output */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock, lost;

static void *
die (void *arg)
{
  (void) arg;
  pthread_mutex_lock (&lock);
  pthread_mutex_lock (&lost);
  return NULL;
}

int
main (void)
{
  pthread_t t;
  pthread_mutexattr_t attr;
  pthread_mutexattr_init (&attr);
  pthread_mutexattr_setrobust (&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init (&lock, &attr);
  pthread_mutex_init (&lost, &attr);
  pthread_create (&t, NULL, die, NULL);
  pthread_join (t, NULL);
  assert (pthread_mutex_lock (&lock) == EOWNERDEAD);
  assert (pthread_mutex_consistent (&lock) == 0);
  pthread_mutex_unlock (&lock);
  assert (pthread_mutex_lock (&lock) == 0);
  puts ("made consistent");
  assert (pthread_mutex_lock (&lost) == EOWNERDEAD);
  pthread_mutex_unlock (&lost);
  assert (pthread_mutex_lock (&lost) == ENOTRECOVERABLE);
  puts ("not recoverable");
  return 0;
}
