/* exit() while other threads compute, wait in calls and hold locks.  */
/* test: threads exit=9 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long counter;
static int fds[2];

static void *
compute (void *arg)
{
  for (;;)
    counter++;
  return arg;
}

static void *
wait_in_read (void *arg)
{
  assert (read (fds[0], &fds, 1) != 1);
  return arg;
}

static void *
wait_for_lock (void *arg)
{
  pthread_mutex_lock (&lock);
  return arg;
}

int
main (void)
{
  void *(*const body[]) (void *) = { compute, wait_in_read, wait_for_lock };
  pthread_t t;
  assert (pipe (fds) == 0);
  pthread_mutex_lock (&lock);
  for (int i = 0; i < 3; i++)
    pthread_create (&t, NULL, body[i], NULL);
  while (counter < 1000)
    sched_yield ();
  printf ("%lu\n", counter);
  exit (9);
}
