/* repe cmpsb and repne scasb: string instructions that only read.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1 << 20 };
static char *text, *copy;
static long found[2];

static void *
compare (void *arg)
{
  for (int i = 0; i < 200; i++)
    {
      const char *a = text, *b = copy;
      long n = SIZE;
      __asm__ volatile ("repe cmpsb" : "+D"(a), "+S"(b), "+c"(n) : : "memory", "cc");
      found[0] += n;
    }
  return arg;
}

static void *
scan (void *arg)
{
  for (int i = 0; i < 200; i++)
    {
      const char *a = text;
      long n = SIZE;
      __asm__ volatile ("repne scasb" : "+D"(a), "+c"(n) : "a"('x') : "memory", "cc");
      found[1] += n;
      text[SIZE - 1 - i * 100] = 'x';
    }
  return arg;
}

int
main (void)
{
  pthread_t t[2];
  text = calloc (1, SIZE);
  copy = calloc (1, SIZE);
  pthread_create (&t[0], NULL, compare, NULL);
  pthread_create (&t[1], NULL, scan, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  printf ("%ld %ld\n", found[0], found[1]);
  return 0;
}
