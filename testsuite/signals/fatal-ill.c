/* An unhandled SIGILL in a thread while another computes.  */
/* test: threads signal=4 */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned long counter;

static void *
crash (void *arg)
{
  while (counter < 1000)
    ;
  __asm__ volatile ("ud2");
  return arg;
}

int
main (void)
{
  pthread_t t;
  pthread_create (&t, NULL, crash, NULL);
  for (;;)
    counter++;
}
