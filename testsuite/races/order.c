/* An order violation: the reader does not wait for the writer.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile int message[4];

static void *
write_message (void *arg)
{
  for (int i = 0; i < 4; i++)
    {
      for (volatile int d = 0; d < 2000000; d++)
        ;
      message[i] = i + 1;
    }
  return arg;
}

int
main (void)
{
  pthread_t t;
  pthread_create (&t, NULL, write_message, NULL);
  for (int i = 0; i < 12; i++)
    {
      for (volatile int d = 0; d < 700000; d++)
        ;
      printf ("%d%d%d%d\n", message[0], message[1], message[2], message[3]);
    }
  pthread_join (t, NULL);
  return 0;
}
