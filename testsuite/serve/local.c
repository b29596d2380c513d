/* Thread-local variables; see local.t.  */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static __thread int mine = 5;
static __thread char big[100];

static void *
work (void *arg)
{
  mine = *(int *) arg;
  errno = mine;
  big[3] = 'x';
  return arg;
}

int
main (void)
{
  pthread_t t;
  int seven = 7;

  errno = 33;
  pthread_create (&t, NULL, work, &seven);
  pthread_join (t, NULL);
  mine++;
  printf ("%d\n", mine);
  return 0;
}
