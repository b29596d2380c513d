/* Shared anonymous memory within one process, threads included.  */
/* test: threads same-output */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

static void *
fill (void *arg)
{
  int *p = arg;
  for (int i = 0; i < 5000; i++)
    p[i] = i;
  return NULL;
}

int
main (void)
{
  pthread_t t;
  long sum = 0;
  int *p = mmap (NULL, 20000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert (p != MAP_FAILED);
  pthread_create (&t, NULL, fill, p);
  pthread_join (t, NULL);
  for (int i = 0; i < 5000; i++)
    sum += p[i];
  printf ("%ld\n", sum);
  return 0;
}
