/* memcpy and memset of the C library against each other: torn data.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 3 << 20 };
static char *shared, *copy;
static volatile int done;

static void *
fill (void *arg)
{
  for (int i = 0; i < 200; i++)
    memset (shared, i, SIZE);
  done = 1;
  return arg;
}

int
main (void)
{
  pthread_t t;
  unsigned long hash = 0, copies = 0;
  shared = calloc (1, SIZE);
  copy = calloc (1, SIZE);
  pthread_create (&t, NULL, fill, NULL);
  while (!done)
    {
      memcpy (copy, shared, SIZE);
      for (int i = 0; i < SIZE; i += 4096)
        hash = hash * 31 + (unsigned char) copy[i];
      copies++;
    }
  pthread_join (t, NULL);
  printf ("%lu %lx\n", copies, hash);
  return 0;
}
