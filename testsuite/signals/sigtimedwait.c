/* sigtimedwait: a signal with a value, and none in time.  */
/* test: same-output */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int
main (void)
{
  sigset_t set;
  siginfo_t info;
  struct timespec limit = { 0, 5000000 };
  union sigval value = { .sival_int = 7 };
  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  sigprocmask (SIG_BLOCK, &set, NULL);
  sigqueue (getpid (), SIGUSR1, value);
  int sig = sigtimedwait (&set, &info, &limit);
  printf ("%d, value %d\n", sig, info.si_value.sival_int);
  sig = sigtimedwait (&set, &info, &limit);
  printf ("%d, timed out: %d\n", sig, errno == EAGAIN);
  return 0;
}
