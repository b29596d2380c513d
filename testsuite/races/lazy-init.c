/* Broken lazy initialisation: several threads may all do it.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *volatile object;
static int made;

static int *
get_object (void)
{
  if (!object)
    {
      int *o = malloc (sizeof *o);
      for (volatile int d = 0; d < 3000000; d++)
        ;
      *o = __atomic_add_fetch (&made, 1, __ATOMIC_SEQ_CST);
      object = o;
    }
  return object;
}

static void *
use (void *arg)
{
  *(int *) arg = *get_object ();
  return NULL;
}

int
main (void)
{
  pthread_t t[4];
  int got[4];
  for (int i = 0; i < 4; i++)
    pthread_create (&t[i], NULL, use, &got[i]);
  for (int i = 0; i < 4; i++)
    pthread_join (t[i], NULL);
  printf ("%d made; got %d %d %d %d\n", made, got[0], got[1], got[2], got[3]);
  return 0;
}
