/* Threads get arguments and return values through pthread_join.  */
/* test: threads same-output */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *
square (void *arg)
{
  long n = (long) arg;
  return (void *) (n * n);
}

int
main (void)
{
  pthread_t t[8];
  for (long i = 0; i < 8; i++)
    assert (pthread_create (&t[i], NULL, square, (void *) i) == 0);
  for (int i = 0; i < 8; i++)
    {
      void *ret;
      assert (pthread_join (t[i], &ret) == 0);
      printf ("%d: %ld\n", i, (long) ret);
    }
  return 0;
}
