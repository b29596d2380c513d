/* As avx-spin, with the progress on the x87 stack.  */
/* build: -O2 */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile int stop;
static long double result;

static void *
count (void *arg)
{
  long double x = 0;
  while (!stop)
    x += 1.5L;
  result = x;
  return arg;
}

int
main (void)
{
  pthread_t t;
  pthread_create (&t, NULL, count, NULL);
  for (volatile int d = 0; d < 80000000; d++)
    ;
  stop = 1;
  pthread_join (t, NULL);
  printf ("%Lg\n", result);
  return 0;
}
