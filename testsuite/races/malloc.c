/* Threads allocate and free each other's blocks: arenas are made, and the
   addresses depend on the schedule.  */
/* test: threads */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic (char *) slots[64];
static atomic_ulong hash;

static void *
run (void *arg)
{
  unsigned x = (unsigned) (long) arg;
  for (int i = 0; i < 20000; i++)
    {
      x = x * 1103515245 + 12345;
      size_t size = 1 + (x >> 16) % 3000;
      char *p = malloc (size);
      memset (p, (int) x, size);
      atomic_fetch_xor (&hash, (unsigned long) p * x);
      free (atomic_exchange (&slots[x >> 8 & 63], p));
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[4];
  for (long i = 0; i < 4; i++)
    pthread_create (&t[i], NULL, run, (void *) (i + 1));
  for (int i = 0; i < 4; i++)
    pthread_join (t[i], NULL);
  printf ("%lx\n", hash);
  return 0;
}
