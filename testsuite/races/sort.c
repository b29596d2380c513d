/* Two threads sort one array at once without a lock: progress is spread
   over the memory, and the result is what the race makes it.  */
/* build: -O2 */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

enum { N = 9000 };
static volatile int a[N];

static void *
bubble (void *arg)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j + 1 < N - i; j++)
      if (a[j] > a[j + 1])
        {
          int x = a[j];
          a[j] = a[j + 1];
          a[j + 1] = x;
        }
  return arg;
}

int
main (void)
{
  pthread_t t[2];
  unsigned long hash = 0, x = 1;
  for (int i = 0; i < N; i++)
    {
      x = x * 6364136223846793005 + 1442695040888963407;
      a[i] = (int) (x >> 40);
    }
  for (int i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, bubble, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  for (int i = 0; i < N; i++)
    hash = hash * 31 + (unsigned long) a[i];
  printf ("%lx\n", hash);
  return 0;
}
