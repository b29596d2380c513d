/* Many short-lived threads, some made by threads: stacks are reused.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int total;

static void *
leaf (void *arg)
{
  __atomic_fetch_add (&total, 1, __ATOMIC_SEQ_CST);
  return arg;
}

static void *
branch (void *arg)
{
  for (int i = 0; i < 10; i++)
    {
      pthread_t t;
      assert (pthread_create (&t, NULL, leaf, NULL) == 0);
      pthread_join (t, NULL);
    }
  return arg;
}

int
main (void)
{
  pthread_t t[4];
  for (int round = 0; round < 3; round++)
    {
      for (int i = 0; i < 4; i++)
        pthread_create (&t[i], NULL, branch, NULL);
      for (int i = 0; i < 4; i++)
        pthread_join (t[i], NULL);
    }
  printf ("%d %lx\n", total, (unsigned long) t[0]);
  return 0;
}
