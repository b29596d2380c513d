/* Priority-inheriting mutexes: the kernel writes the futex word itself.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static unsigned long hash;
static int total;

static void *
work (void *arg)
{
  for (int i = 0; i < 200; i++)
    {
      assert (pthread_mutex_lock (&lock) == 0);
      hash = hash * 31 + (unsigned long) arg;
      total++;
      assert (pthread_mutex_unlock (&lock) == 0);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[4];
  pthread_mutexattr_t attr;
  pthread_mutexattr_init (&attr);
  pthread_mutexattr_setprotocol (&attr, PTHREAD_PRIO_INHERIT);
  assert (pthread_mutex_init (&lock, &attr) == 0);
  pthread_mutex_lock (&lock);
  for (long i = 0; i < 4; i++)
    pthread_create (&t[i], NULL, work, (void *) (i + 1));
  pthread_mutex_unlock (&lock);
  for (int i = 0; i < 4; i++)
    pthread_join (t[i], NULL);
  assert (total == 800);
  printf ("%lx\n", hash);
  return 0;
}
