/* Two threads play ping-pong through a condition variable.  */
/* test: threads same-output */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;

static void *
play (void *arg)
{
  int me = (int) (long) arg;
  for (int i = 0; i < 50; i++)
    {
      pthread_mutex_lock (&lock);
      while (turn != me)
        pthread_cond_wait (&turned, &lock);
      printf ("%d%c", me, i == 49 ? '\n' : ' ');
      turn = !me;
      pthread_cond_signal (&turned);
      pthread_mutex_unlock (&lock);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t;
  pthread_create (&t, NULL, play, (void *) 1L);
  play ((void *) 0L);
  pthread_join (t, NULL);
  return 0;
}
