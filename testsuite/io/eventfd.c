/* eventfd: counter and semaphore, blocking a thread.  */
/* test: threads same-output */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int fd, sem;

static void *
add (void *arg)
{
  uint64_t n;
  assert (read (sem, &n, sizeof n) == sizeof n && n == 1);
  n = 5;
  assert (write (fd, &n, sizeof n) == sizeof n);
  return arg;
}

int
main (void)
{
  pthread_t t[3];
  uint64_t n = 3, total = 0;
  fd = eventfd (0, 0);
  sem = eventfd (0, EFD_SEMAPHORE);
  for (int i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, add, NULL);
  assert (write (sem, &n, sizeof n) == sizeof n);
  while (total < 15)
    {
      assert (read (fd, &n, sizeof n) == sizeof n);
      total += n;
    }
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  printf ("%lu\n", total);
  int nb = eventfd (0, EFD_NONBLOCK);
  assert (read (nb, &n, sizeof n) == -1 && errno == EAGAIN);
  return 0;
}
