/* Readers and writers: readers never see a half-written pair.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;
static long seen[3];

static void *
read_pair (void *arg)
{
  long *sum = arg;
  for (int i = 0; i < 300; i++)
    {
      pthread_rwlock_rdlock (&lock);
      assert (a == b);
      *sum += a;
      pthread_rwlock_unlock (&lock);
    }
  return NULL;
}

static void *
write_pair (void *arg)
{
  (void) arg;
  for (int i = 0; i < 100; i++)
    {
      pthread_rwlock_wrlock (&lock);
      a++;
      b++;
      pthread_rwlock_unlock (&lock);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[5];
  for (int i = 0; i < 5; i++)
    pthread_create (&t[i], NULL, i < 3 ? read_pair : write_pair, i < 3 ? &seen[i] : NULL);
  for (int i = 0; i < 5; i++)
    pthread_join (t[i], NULL);
  printf ("%d %ld %ld %ld\n", a, seen[0], seen[1], seen[2]);
  return 0;
}
