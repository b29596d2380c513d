/* setuid in a threaded program: the C library signals all threads to make
   each do the same.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t ready, go;

static void *
report (void *arg)
{
  sem_post (&ready);
  while (sem_wait (&go) != 0)
    ;
  *(int *) arg = (int) getuid ();
  return NULL;
}

int
main (void)
{
  pthread_t t[3];
  int seen[3];
  sem_init (&ready, 0, 0);
  sem_init (&go, 0, 0);
  for (int i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, report, &seen[i]);
  for (int i = 0; i < 3; i++)
    sem_wait (&ready);
  uid_t uid = getuid () ? getuid () : 65534;
  assert (setuid (uid) == 0);
  for (int i = 0; i < 3; i++)
    sem_post (&go);
  for (int i = 0; i < 3; i++)
    {
      pthread_join (t[i], NULL);
      assert (seen[i] == (int) uid);
    }
  printf ("%u\n", uid);
  return 0;
}
