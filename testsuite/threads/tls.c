/* Thread-local variables and keys whose destructors run at exit.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static __thread int mine = 7;
static __thread char buffer[5000];
static pthread_key_t key;
static int destroyed;

static void
destroy (void *value)
{
  __atomic_fetch_add (&destroyed, (int) (long) value, __ATOMIC_SEQ_CST);
}

static void *
work (void *arg)
{
  long n = (long) arg;
  assert (mine == 7 && buffer[4999] == 0);
  pthread_setspecific (key, (void *) n);
  for (int i = 0; i < 100; i++)
    {
      mine += (int) n;
      buffer[i] = (char) n;
      if (i % 10 == 0)
        sched_yield ();
    }
  assert (pthread_getspecific (key) == (void *) n);
  return (void *) (long) mine;
}

int
main (void)
{
  pthread_t t[6];
  pthread_key_create (&key, destroy);
  for (long i = 0; i < 6; i++)
    pthread_create (&t[i], NULL, work, (void *) (i + 1));
  for (int i = 0; i < 6; i++)
    {
      void *ret;
      pthread_join (t[i], &ret);
      printf ("%ld ", (long) ret);
    }
  printf ("%d %d %p\n", mine, destroyed, (void *) &mine);
  assert (destroyed == 21);
  return 0;
}
