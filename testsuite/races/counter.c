/* The classic: two threads add to a counter without a lock, and lose
   updates when a preemption falls between load and store.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile long counter;

static void *
add (void *arg)
{
  for (int i = 0; i < 3000000; i++)
    {
      long seen = counter;
      counter = seen + 1;
    }
  return arg;
}

int
main (void)
{
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, add, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  printf ("%ld\n", counter);
  return 0;
}
