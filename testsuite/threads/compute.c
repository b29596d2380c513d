/* Threads that only compute: each result is fixed, the interleaving and
   so the order of finishing is not.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int finished[4], n_finished;

static void *
count_primes (void *arg)
{
  long primes = 0;
  for (int n = 2; n < 30000; n++)
    {
      int d = 2;
      while (d * d <= n && n % d)
        d++;
      primes += d * d > n;
    }
  finished[__atomic_fetch_add (&n_finished, 1, __ATOMIC_SEQ_CST)] = (int) (long) arg;
  return (void *) primes;
}

int
main (void)
{
  pthread_t t[4];
  for (long i = 0; i < 4; i++)
    pthread_create (&t[i], NULL, count_primes, (void *) i);
  for (int i = 0; i < 4; i++)
    {
      void *ret;
      pthread_join (t[i], &ret);
      assert ((long) ret == 3245);
    }
  printf ("%d %d %d %d\n", finished[0], finished[1], finished[2], finished[3]);
  return 0;
}
