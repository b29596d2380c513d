/* Threads meet at a barrier; who is the serial one differs.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 5, ROUNDS = 20 };
static pthread_barrier_t barrier;
static int round_of[N];
static char serial[ROUNDS + 1];

static void *
work (void *arg)
{
  long me = (long) arg;
  for (int r = 0; r < ROUNDS; r++)
    {
      round_of[me] = r;
      if (pthread_barrier_wait (&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial[r] = (char) ('0' + me);
      for (int i = 0; i < N; i++)
        assert (round_of[i] == r);
      pthread_barrier_wait (&barrier);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[N];
  pthread_barrier_init (&barrier, NULL, N);
  for (long i = 0; i < N; i++)
    pthread_create (&t[i], NULL, work, (void *) i);
  for (int i = 0; i < N; i++)
    pthread_join (t[i], NULL);
  pthread_barrier_destroy (&barrier);
  puts (serial);
  return 0;
}
