/* pthread_once: one of many threads runs the initialiser.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs;
static int by;

static void
init (void)
{
  runs++;
  by = gettid () - getpid ();
}

static void *
work (void *arg)
{
  pthread_once (&once, init);
  assert (runs == 1);
  return arg;
}

int
main (void)
{
  pthread_t t[8];
  for (int i = 0; i < 8; i++)
    pthread_create (&t[i], NULL, work, NULL);
  for (int i = 0; i < 8; i++)
    pthread_join (t[i], NULL);
  printf ("%d run by thread %d\n", runs, by);
  return 0;
}
