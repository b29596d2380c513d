/* Three threads write lines to one pipe: their order is the kernel's and
   the scheduler's.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int fds[2];

static void *
write_lines (void *arg)
{
  char c = (char) ('a' + (long) arg);
  for (int i = 0; i < 50; i++)
    assert (write (fds[1], &c, 1) == 1);
  return NULL;
}

int
main (void)
{
  pthread_t t[3];
  char got[151] = "";
  assert (pipe (fds) == 0);
  for (long i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, write_lines, (void *) i);
  for (int n = 0; n < 150;)
    n += (int) read (fds[0], got + n, (size_t) (150 - n));
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  puts (got);
  return 0;
}
