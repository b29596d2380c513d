/* Signals to a certain thread, which computes or waits.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static __thread volatile int mine;
static sem_t ready;

static void
handle (int sig)
{
  (void) sig;
  mine++;
}

static void *
compute (void *arg)
{
  unsigned long work = 0;
  sem_post (&ready);
  while (!mine)
    work++;
  *(unsigned long *) arg = work;
  return NULL;
}

static void *
wait_in_pause (void *arg)
{
  sigset_t block, old;
  sigemptyset (&block);
  sigaddset (&block, SIGUSR1);
  pthread_sigmask (SIG_BLOCK, &block, &old);
  sem_post (&ready);
  while (!mine)
    sigsuspend (&old);
  return arg;
}

int
main (void)
{
  pthread_t t[2];
  unsigned long work;
  sem_init (&ready, 0, 0);
  signal (SIGUSR1, handle);
  pthread_create (&t[0], NULL, compute, &work);
  pthread_create (&t[1], NULL, wait_in_pause, NULL);
  sem_wait (&ready);
  sem_wait (&ready);
  for (int i = 0; i < 2; i++)
    pthread_kill (t[i], SIGUSR1);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  assert (mine == 0);
  printf ("%lu\n", work);
  return 0;
}
