/* rep movsb and rep stosq over big buffers: a preemption may fall in the
   middle of one instruction.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1 << 20 };
static char *shared, *other;

static void *
copy (void *arg)
{
  for (int i = 0; i < 300; i++)
    {
      void *dst = other, *src = shared;
      long n = SIZE;
      __asm__ volatile ("rep movsb" : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
    }
  return arg;
}

static void *
store (void *arg)
{
  for (long i = 0; i < 300; i++)
    {
      void *dst = shared;
      long n = SIZE / 8;
      __asm__ volatile ("rep stosq" : "+D"(dst), "+c"(n) : "a"((i & 127) * 0x0101010101010101) : "memory");
    }
  return arg;
}

int
main (void)
{
  pthread_t t[2];
  unsigned long hash = 0;
  shared = calloc (1, SIZE);
  other = calloc (1, SIZE);
  pthread_create (&t[0], NULL, copy, NULL);
  pthread_create (&t[1], NULL, store, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  for (int i = 0; i < SIZE; i++)
    hash = hash * 31 + (unsigned char) other[i];
  printf ("%lx\n", hash);
  return 0;
}
