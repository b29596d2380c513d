/* A sequence lock: readers retry when the writer was there meanwhile.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint seq;
static volatile long pair[2];
static volatile int done;
static unsigned long retries, reads;

static void *
read_pairs (void *arg)
{
  while (!done)
    {
      unsigned before = atomic_load (&seq);
      long a = pair[0], b = pair[1];
      if (before % 2 || atomic_load (&seq) != before)
        retries++;
      else
        {
          assert (a == b);
          reads++;
        }
    }
  return arg;
}

int
main (void)
{
  pthread_t t;
  pthread_create (&t, NULL, read_pairs, NULL);
  for (int i = 0; i < 6000000; i++)
    {
      atomic_fetch_add (&seq, 1);
      pair[0]++;
      pair[1]++;
      atomic_fetch_add (&seq, 1);
    }
  done = 1;
  pthread_join (t, NULL);
  printf ("%lu reads, %lu retries\n", reads, retries);
  return 0;
}
