/* Recursion: the same code at many depths, in two threads that leave
   traces in each other's view.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned long calls[2];

static int
fib (int n, long me)
{
  calls[me]++;
  return n < 2 ? n : fib (n - 1, me) + fib (n - 2, me);
}

static void *
run (void *arg)
{
  long me = (long) arg;
  int f = fib (32, me);
  printf ("%ld: %d, the other made %lu calls\n", me, f, calls[!me]);
  return NULL;
}

int
main (void)
{
  pthread_t t[2];
  for (long i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, run, (void *) i);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  return 0;
}
