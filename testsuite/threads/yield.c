/* Threads take turns with sched_yield only.  */
/* test: threads same-output */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static volatile int turn;

static void *
work (void *arg)
{
  int me = (int) (long) arg;
  for (int i = 0; i < 30; i++)
    {
      while (turn != me)
        sched_yield ();
      putchar ('a' + me);
      turn = (me + 1) % 3;
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[3];
  for (long i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, work, (void *) i);
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  puts ("");
  return 0;
}
