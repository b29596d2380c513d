/* Pipes: full, empty, closed, non-blocking, with two threads.  */
/* test: threads same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int fds[2];

static void *
drain (void *arg)
{
  static char buf[7000];
  long *total = arg;
  ssize_t n;
  while ((n = read (fds[0], buf, sizeof buf)) > 0)
    *total += n;
  return NULL;
}

int
main (void)
{
  static char buf[10000];
  pthread_t t;
  long total = 0;
  char c;
  assert (pipe2 (fds, O_NONBLOCK | O_CLOEXEC) == 0);
  assert (read (fds[0], &c, 1) == -1 && errno == EAGAIN);
  printf ("size %d\n", fcntl (fds[1], F_SETPIPE_SZ, 16384));
  long filled = 0;
  for (ssize_t n; (n = write (fds[1], buf, sizeof buf)) > 0;)
    filled += n;
  printf ("filled %ld\n", filled);
  fcntl (fds[0], F_SETFL, 0);
  fcntl (fds[1], F_SETFL, 0);
  pthread_create (&t, NULL, drain, &total);
  for (int i = 0; i < 20; i++)
    assert (write (fds[1], buf, sizeof buf) == sizeof buf);
  close (fds[1]);
  pthread_join (t, NULL);
  printf ("%ld\n", total - filled);
  return 0;
}
