/* Threads wait in one epoll set; who takes which event is a race.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int ep, counter, quit;
static int taken[3];

static void *
work (void *arg)
{
  struct epoll_event ev;
  for (;;)
    {
      uint64_t n;
      if (epoll_wait (ep, &ev, 1, -1) != 1)
        continue;
      if (ev.data.fd == quit)
        return NULL;
      if (read (counter, &n, sizeof n) == sizeof n)
        ++*(int *) arg;
    }
}

int
main (void)
{
  pthread_t t[3];
  uint64_t one = 1, many = 60;
  ep = epoll_create1 (0);
  counter = eventfd (0, EFD_SEMAPHORE | EFD_NONBLOCK);
  quit = eventfd (0, 0);
  struct epoll_event ev = { .events = EPOLLIN, .data.fd = counter };
  epoll_ctl (ep, EPOLL_CTL_ADD, counter, &ev);
  for (int i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, work, &taken[i]);
  assert (write (counter, &many, sizeof many) == sizeof many);
  while (__atomic_load_n (&taken[0], __ATOMIC_RELAXED) + __atomic_load_n (&taken[1], __ATOMIC_RELAXED)
           + __atomic_load_n (&taken[2], __ATOMIC_RELAXED)
         < 60)
    sched_yield ();
  ev.data.fd = quit;
  epoll_ctl (ep, EPOLL_CTL_ADD, quit, &ev);
  assert (write (quit, &one, sizeof one) == sizeof one);
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  printf ("%d %d %d\n", taken[0], taken[1], taken[2]);
  return 0;
}
