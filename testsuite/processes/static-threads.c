/* A statically linked program with threads.  */
/* build: -static */
/* test: threads same-output */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *
add (void *arg)
{
  for (int i = 0; i < 100; i++)
    {
      pthread_mutex_lock (&lock);
      total++;
      pthread_mutex_unlock (&lock);
    }
  return arg;
}

int
main (void)
{
  pthread_t t[4];
  for (int i = 0; i < 4; i++)
    pthread_create (&t[i], NULL, add, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join (t[i], NULL);
  printf ("%d\n", total);
  return 0;
}
