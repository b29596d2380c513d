/* Lock-bound: four threads take one mutex for a moment, again and again.
   lock [ROUNDS]  */

/* build: -O2 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  THREADS = 4
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long rounds, counter;

static void *
work (void *arg)
{
  for (long i = 0; i < rounds; i++)
    {
      pthread_mutex_lock (&mutex);
      counter++;
      pthread_mutex_unlock (&mutex);
    }
  return arg;
}

int
main (int argc, char **argv)
{
  pthread_t threads[THREADS];

  rounds = argc > 1 ? atol (argv[1]) : 10000000;
  for (int i = 0; i < THREADS; i++)
    pthread_create (&threads[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  printf ("%ld\n", counter);
  return 0;
}
