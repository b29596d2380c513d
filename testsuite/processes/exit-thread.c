/* exit by another thread than the first, atexit handlers included.  */
/* test: threads exit=11 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void
last (void)
{
  puts ("last");
}

static void
first (void)
{
  puts ("first");
}

static void *
leave (void *arg)
{
  (void) arg;
  exit (11);
}

int
main (void)
{
  pthread_t t;
  atexit (last);
  atexit (first);
  pthread_create (&t, NULL, leave, NULL);
  pthread_join (t, NULL);
  return 0;
}
