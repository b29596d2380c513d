/* Semaphores: posts and waits, a try and a timed wait that fail.  */
/* test: threads same-output */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t items, room;
static int slot;

static void *
consume (void *arg)
{
  (void) arg;
  for (int i = 0; i < 20; i++)
    {
      sem_wait (&items);
      printf ("%d ", slot);
      sem_post (&room);
    }
  puts ("");
  return NULL;
}

int
main (void)
{
  pthread_t t;
  struct timespec until;
  sem_init (&items, 0, 0);
  sem_init (&room, 0, 1);
  pthread_create (&t, NULL, consume, NULL);
  for (int i = 0; i < 20; i++)
    {
      sem_wait (&room);
      slot = i;
      sem_post (&items);
    }
  pthread_join (t, NULL);
  assert (sem_trywait (&items) == -1 && errno == EAGAIN);
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_nsec = (until.tv_nsec + 10000000) % 1000000000;
  until.tv_sec += until.tv_nsec < 10000000;
  assert (sem_timedwait (&items, &until) == -1 && errno == ETIMEDOUT);
  puts ("timed out");
  return 0;
}
