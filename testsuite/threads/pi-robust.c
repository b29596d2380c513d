/* A thread dies holding a mutex that is robust and priority-inheriting.  */
/* test: threads same-output */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;

static void *
die (void *arg)
{
  (void) arg;
  pthread_mutex_lock (&lock);
  return NULL;
}

int
main (void)
{
  pthread_t t;
  pthread_mutexattr_t attr;
  pthread_mutexattr_init (&attr);
  pthread_mutexattr_setprotocol (&attr, PTHREAD_PRIO_INHERIT);
  pthread_mutexattr_setrobust (&attr, PTHREAD_MUTEX_ROBUST);
  assert (pthread_mutex_init (&lock, &attr) == 0);
  pthread_create (&t, NULL, die, NULL);
  int ret = pthread_mutex_lock (&lock);
  if (ret == 0)
    pthread_mutex_unlock (&lock);
  else
    assert (ret == EOWNERDEAD);
  pthread_join (t, NULL);
  ret = ret ? ret : pthread_mutex_lock (&lock);
  printf ("%s\n", ret == EOWNERDEAD ? "owner died" : "?");
  return 0;
}
