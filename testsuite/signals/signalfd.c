/* signalfd with poll and read.  */
/* test: same-output */
#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

int
main (void)
{
  sigset_t set;
  struct signalfd_siginfo info[4];
  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  sigaddset (&set, SIGALRM);
  sigprocmask (SIG_BLOCK, &set, NULL);
  int fd = signalfd (-1, &set, SFD_CLOEXEC);
  assert (fd >= 0);
  union sigval value = { .sival_int = 42 };
  sigqueue (getpid (), SIGUSR1, value);
  ualarm (5000, 0);
  int n = (int) (read (fd, info, sizeof info[0]) / (ssize_t) sizeof info[0]);
  printf ("%d: signal %d, value %d\n", n, info[0].ssi_signo, info[0].ssi_int);
  struct pollfd p = { .fd = fd, .events = POLLIN };
  n = poll (&p, 1, -1);
  assert (read (fd, info, sizeof info) == sizeof info[0]);
  printf ("%d: signal %d\n", n, info[0].ssi_signo);
  return 0;
}
