/* Asynchronous cancellation falls on any instruction of a computation.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static volatile unsigned long counter;

static void *
compute (void *arg)
{
  pthread_setcanceltype (PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (;;)
    counter++;
  return arg;
}

int
main (void)
{
  pthread_t t;
  void *ret;
  pthread_create (&t, NULL, compute, NULL);
  while (counter == 0)
    sched_yield ();
  pthread_cancel (t);
  pthread_join (t, &ret);
  assert (ret == PTHREAD_CANCELED);
  printf ("%lu\n", counter);
  return 0;
}
