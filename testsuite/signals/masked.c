/* Masked signals wait; sa_mask holds others back while a handler runs.  */
/* test: same-output */
#include <assert.h>
#include <signal.h>
#include <stdio.h>

static char trace[64];
static volatile int n;

static void
handle (int sig)
{
  trace[n++] = sig == SIGUSR1 ? '1' : '2';
  if (sig == SIGUSR1)
    raise (SIGUSR2);
  trace[n++] = '.';
}

int
main (void)
{
  struct sigaction sa = { .sa_handler = handle };
  sigset_t set, old;
  sigemptyset (&sa.sa_mask);
  sigaddset (&sa.sa_mask, SIGUSR2);
  sigaction (SIGUSR1, &sa, NULL);
  sigaction (SIGUSR2, &sa, NULL);
  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  sigprocmask (SIG_BLOCK, &set, &old);
  raise (SIGUSR1);
  raise (SIGUSR1);
  trace[n++] = '|';
  sigprocmask (SIG_SETMASK, &old, &set);
  assert (sigismember (&set, SIGUSR1));
  puts (trace);
  return 0;
}
