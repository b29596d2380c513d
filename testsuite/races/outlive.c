/* Four consumers outlive the clean-up: the producer waits until its queue is
   empty and unmaps it, while they still work on what they took last, and
   then want to say so there.  They work for 5 ms without a system call, so
   only who interrupts them sees this crash, as it is natively.  */
/* build: -O1 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

enum
{
  CONSUMERS = 4,
  JOBS = 24
};

struct queue
{
  pthread_mutex_t mutex;
  pthread_cond_t empty;
  int jobs, done;
};

static struct queue *queue;
static unsigned long turns_5ms;
static volatile unsigned long results[CONSUMERS];

static unsigned long
work (unsigned long turns)
{
  unsigned long x = 1;
  for (unsigned long i = 0; i < turns; i++)
    {
      x = x * 6364136223846793005ul + i;
      if (x >> 60 == 7)
        x ^= x >> 7;
    }
  return x;
}

static double
now_ms (void)
{
  struct timespec ts;
  clock_gettime (CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

/* By the quickest of some tries, whatever else the machine does.  */
static void
measure (void)
{
  enum { TURNS = 200000 };
  double least = 1e9;
  for (int i = 0; i < 20; i++)
    {
      double start = now_ms ();
      results[0] = work (TURNS);
      double took = now_ms () - start;
      if (took < least)
        least = took;
    }
  turns_5ms = (unsigned long) (TURNS * 5 / least);
}

static void *
consume (void *arg)
{
  long me = (long) arg;
  for (;;)
    {
      pthread_mutex_lock (&queue->mutex);
      if (queue->jobs == 0)
        {
          pthread_mutex_unlock (&queue->mutex);
          return NULL;
        }
      if (--queue->jobs == 0)
        pthread_cond_signal (&queue->empty);
      pthread_mutex_unlock (&queue->mutex);
      results[me] = work (turns_5ms);
      queue->done++;
    }
}

int
main (void)
{
  pthread_t t[CONSUMERS];
  measure ();
  queue = mmap (NULL, sizeof *queue, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_mutex_init (&queue->mutex, NULL);
  pthread_cond_init (&queue->empty, NULL);
  queue->jobs = JOBS;
  for (long i = 0; i < CONSUMERS; i++)
    pthread_create (&t[i], NULL, consume, (void *) i);
  pthread_mutex_lock (&queue->mutex);
  while (queue->jobs > 0)
    pthread_cond_wait (&queue->empty, &queue->mutex);
  pthread_mutex_unlock (&queue->mutex);
  munmap (queue, sizeof *queue);
  for (int i = 0; i < CONSUMERS; i++)
    pthread_join (t[i], NULL);
  puts ("nobody noticed");
  return 0;
}
