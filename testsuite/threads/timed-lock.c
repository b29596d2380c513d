/* Locks and waits that time out, on both clocks.  */
/* test: threads same-output */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct timespec
in_5_ms (clockid_t clock)
{
  struct timespec t;
  clock_gettime (clock, &t);
  t.tv_nsec += 5000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

static void *
try_lock (void *arg)
{
  struct timespec t = in_5_ms (CLOCK_REALTIME);
  assert (pthread_mutex_trylock (&lock) == EBUSY);
  assert (pthread_mutex_timedlock (&lock, &t) == ETIMEDOUT);
  t = in_5_ms (CLOCK_MONOTONIC);
  assert (pthread_mutex_clocklock (&lock, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
  return arg;
}

int
main (void)
{
  pthread_t t;
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock (&lock);
  pthread_create (&t, NULL, try_lock, NULL);
  pthread_join (t, NULL);
  struct timespec until = in_5_ms (CLOCK_REALTIME);
  assert (pthread_cond_timedwait (&cond, &lock, &until) == ETIMEDOUT);
  pthread_mutex_unlock (&lock);
  puts ("all timed out");
  return 0;
}
