/* Detached threads come and go; their order of arrival is free.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t done;
static int order[16];
static int arrived;

static void *
arrive (void *arg)
{
  order[__atomic_fetch_add (&arrived, 1, __ATOMIC_SEQ_CST)] = *(int *) arg;
  sem_post (&done);
  return NULL;
}

int
main (void)
{
  static int ids[16];
  pthread_attr_t attr;
  sem_init (&done, 0, 0);
  pthread_attr_init (&attr);
  pthread_attr_setdetachstate (&attr, PTHREAD_CREATE_DETACHED);
  for (int i = 0; i < 16; i++)
    {
      pthread_t t;
      ids[i] = i;
      assert (pthread_create (&t, i % 2 ? &attr : NULL, arrive, &ids[i]) == 0);
      if (i % 2 == 0)
        pthread_detach (t);
    }
  for (int i = 0; i < 16; i++)
    sem_wait (&done);
  for (int i = 0; i < 16; i++)
    printf ("%d ", order[i]);
  puts ("");
  return 0;
}
