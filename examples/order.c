/* An order violation between threads, as parallel bzip2 had it: the main
   thread clears the queue's mutex while consumers still use it.

   The consumers compute for some milliseconds, without a system call, and
   then lock; the main thread has cleared the pointer by then, and one of
   them crashes.  Natively it crashes every time; a recorder that switches
   threads only at system calls would never see it.  From a debugger: when
   did q->mut become NULL, and who did it?  */

/* build: -O0 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  CONSUMERS = 3,
  BLOCKS = 12
};

struct queue
{
  pthread_mutex_t *mut;
  pthread_cond_t *not_empty;
  pthread_cond_t *empty;
  int blocks;
  int closed;
};

static struct queue *q;
static unsigned long results[CONSUMERS];

/* Some 5 to 10 ms of work on one block.  */
static unsigned long
compress_block (unsigned long seed)
{
  unsigned long sum = seed;
  for (int i = 0; i < 10000000; i++)
    sum = (sum << 1 | sum >> 63) ^ (unsigned long) i;
  return sum;
}

static void *
consume (void *arg)
{
  unsigned long *result = arg;
  for (;;)
    {
      pthread_mutex_lock (q->mut);
      while (q->blocks == 0 && !q->closed)
        pthread_cond_wait (q->not_empty, q->mut);
      if (q->blocks == 0)
        break;
      int block = q->blocks--;
      if (q->blocks == 0)
        {
          q->closed = 1;
          pthread_cond_signal (q->empty);
        }
      pthread_mutex_unlock (q->mut);
      *result += compress_block ((unsigned long) block);
    }
  pthread_mutex_unlock (q->mut);
  return NULL;
}

static struct queue *
queue_new (void)
{
  struct queue *queue = calloc (1, sizeof *queue);
  queue->mut = malloc (sizeof *queue->mut);
  queue->not_empty = malloc (sizeof *queue->not_empty);
  queue->empty = malloc (sizeof *queue->empty);
  pthread_mutex_init (queue->mut, NULL);
  pthread_cond_init (queue->not_empty, NULL);
  pthread_cond_init (queue->empty, NULL);
  return queue;
}

static void
queue_delete (struct queue *queue)
{
  free (queue->mut);
  queue->mut = NULL;
  free (queue->not_empty);
  queue->not_empty = NULL;
  free (queue->empty);
  queue->empty = NULL;
}

static void
produce (void)
{
  pthread_mutex_lock (q->mut);
  q->blocks = BLOCKS;
  pthread_cond_broadcast (q->not_empty);
  pthread_mutex_unlock (q->mut);
}

/* Wait until every block was taken: taken, but not compressed.  */
static void
wait_for_empty_queue (void)
{
  pthread_mutex_lock (q->mut);
  while (q->blocks > 0)
    pthread_cond_wait (q->empty, q->mut);
  pthread_mutex_unlock (q->mut);
}

int
main (void)
{
  pthread_t consumer[CONSUMERS];
  q = queue_new ();
  for (int i = 0; i < CONSUMERS; i++)
    pthread_create (&consumer[i], NULL, consume, &results[i]);
  produce ();
  wait_for_empty_queue ();
  queue_delete (q); /* the bug: the consumers were not joined */
  for (int i = 0; i < CONSUMERS; i++)
    pthread_join (consumer[i], NULL);
  printf ("%lx\n", results[0] ^ results[1] ^ results[2]);
  return 0;
}
