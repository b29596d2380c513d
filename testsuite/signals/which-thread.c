/* A signal to the process goes to the one thread that does not block it.  */
/* test: threads same-output */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sem_t ready, done;
static __thread int me;
static volatile int receiver;

static void
handle (int sig)
{
  (void) sig;
  receiver = me;
  sem_post (&done);
}

static void *
run (void *arg)
{
  sigset_t set;
  me = (int) (long) arg;
  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  if (me == 2)
    pthread_sigmask (SIG_UNBLOCK, &set, NULL);
  sem_post (&ready);
  while (!receiver)
    sched_yield ();
  return NULL;
}

int
main (void)
{
  pthread_t t[3];
  sigset_t set;
  sem_init (&ready, 0, 0);
  sem_init (&done, 0, 0);
  signal (SIGUSR1, handle);
  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  for (long i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, run, (void *) (i + 1));
  for (int i = 0; i < 3; i++)
    sem_wait (&ready);
  kill (getpid (), SIGUSR1);
  sem_wait (&done);
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  printf ("thread %d\n", receiver);
  return 0;
}
