/* A loop without any progress at all, `1: jmp 1b' with a test: the state
   repeats exactly, so any arrival is as good as another.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile int flag;
static volatile int toggled;

static void *
wait_for_flag (void *arg)
{
  while (!flag)
    ;
  return arg;
}

static void *
toggle (void *arg)
{
  while (!flag)
    toggled ^= 1;
  return arg;
}

int
main (void)
{
  pthread_t t[2];
  pthread_create (&t[0], NULL, wait_for_flag, NULL);
  pthread_create (&t[1], NULL, toggle, NULL);
  for (volatile int d = 0; d < 60000000; d++)
    ;
  flag = 1;
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  printf ("%d\n", toggled);
  return 0;
}
