/* Two producers and three consumers share a bounded queue.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { SIZE = 8, ITEMS = 200 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int queue[SIZE], n_queued, head, closed;

static void *
produce (void *arg)
{
  for (int i = 0; i < ITEMS; i++)
    {
      pthread_mutex_lock (&lock);
      while (n_queued == SIZE)
        pthread_cond_wait (&not_full, &lock);
      queue[(head + n_queued++) % SIZE] = (int) (long) arg + i;
      pthread_cond_signal (&not_empty);
      pthread_mutex_unlock (&lock);
    }
  return NULL;
}

static void *
consume (void *arg)
{
  long *sum = arg;
  pthread_mutex_lock (&lock);
  for (;;)
    {
      while (n_queued == 0 && !closed)
        pthread_cond_wait (&not_empty, &lock);
      if (n_queued == 0)
        break;
      *sum += queue[head];
      head = (head + 1) % SIZE;
      n_queued--;
      pthread_cond_signal (&not_full);
    }
  pthread_mutex_unlock (&lock);
  return NULL;
}

int
main (void)
{
  pthread_t p[2], c[3];
  long sum[3] = { 0 };
  for (int i = 0; i < 3; i++)
    pthread_create (&c[i], NULL, consume, &sum[i]);
  for (long i = 0; i < 2; i++)
    pthread_create (&p[i], NULL, produce, (void *) (i * 1000));
  for (int i = 0; i < 2; i++)
    pthread_join (p[i], NULL);
  pthread_mutex_lock (&lock);
  closed = 1;
  pthread_cond_broadcast (&not_empty);
  pthread_mutex_unlock (&lock);
  for (int i = 0; i < 3; i++)
    pthread_join (c[i], NULL);
  assert (sum[0] + sum[1] + sum[2] == ITEMS * (ITEMS - 1) + ITEMS * 1000);
  printf ("%ld %ld %ld\n", sum[0], sum[1], sum[2]);
  return 0;
}
