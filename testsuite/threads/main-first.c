/* The first thread leaves by pthread_exit; the others end the process.  */
/* test: threads exit=5 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t first;

static void *
end (void *arg)
{
  (void) arg;
  pthread_join (first, NULL);
  puts ("main has gone");
  exit (5);
}

int
main (void)
{
  pthread_t t;
  first = pthread_self ();
  pthread_create (&t, NULL, end, NULL);
  pthread_exit (NULL);
}
