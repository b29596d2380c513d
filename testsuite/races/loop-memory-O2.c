/* As loop-memory-O0, optimised: two instructions around one word.  */
/* build: -O2 */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned first, second;
static unsigned seen_first, seen_second;

static void *
count_first (void *arg)
{
  while (first < 40000000)
    first++;
  seen_second = second;
  return arg;
}

static void *
count_second (void *arg)
{
  while (second < 40000000)
    second++;
  seen_first = first;
  return arg;
}

int
main (void)
{
  pthread_t t[2];
  pthread_create (&t[0], NULL, count_first, NULL);
  pthread_create (&t[1], NULL, count_second, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  printf ("%u %u\n", seen_first, seen_second);
  return 0;
}
