/* pselect, ppoll and epoll_pwait let a signal in while they wait.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>

static volatile int got;

static void
handle (int sig)
{
  (void) sig;
  got++;
}

int
main (void)
{
  sigset_t block, none;
  struct epoll_event event;
  int epoll = epoll_create1 (0);
  sigemptyset (&none);
  sigemptyset (&block);
  sigaddset (&block, SIGUSR1);
  sigprocmask (SIG_BLOCK, &block, NULL);
  signal (SIGUSR1, handle);
  raise (SIGUSR1);
  assert (got == 0);
  assert (pselect (0, NULL, NULL, NULL, NULL, &none) == -1 && errno == EINTR && got == 1);
  raise (SIGUSR1);
  assert (ppoll (NULL, 0, NULL, &none) == -1 && errno == EINTR && got == 2);
  raise (SIGUSR1);
  assert (epoll_pwait (epoll, &event, 1, -1, &none) == -1 && errno == EINTR);
  printf ("%d\n", got);
  return 0;
}
