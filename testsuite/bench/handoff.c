/* Threads that wait for each other: a token goes round four of them by a
   futex each, so every round is a wake and a wait.  handoff [ROUNDS]  */

/* build: -O2 */

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum
{
  THREADS = 4
};

static long rounds;
static struct
{
  _Atomic int token;
  char apart[60];
} places[THREADS];

static void *
pass_on (void *arg)
{
  long me = (long) arg;
  long next = (me + 1) % THREADS;

  for (long i = 0; i < rounds; i++)
    {
      while (atomic_load (&places[me].token) == 0)
        syscall (SYS_futex, &places[me].token, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
      atomic_store (&places[me].token, 0);
      atomic_store (&places[next].token, 1);
      syscall (SYS_futex, &places[next].token, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
  return NULL;
}

int
main (int argc, char **argv)
{
  pthread_t threads[THREADS];

  rounds = argc > 1 ? atol (argv[1]) : 5000;
  places[0].token = 1;
  for (long i = 0; i < THREADS; i++)
    pthread_create (&threads[i], NULL, pass_on, (void *) i);
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  printf ("%ld\n", rounds * THREADS);
  return 0;
}
