/* A handler that raises a signal whose handler raises a third.  */
/* test: same-output */
#include <signal.h>
#include <stdio.h>

static char trace[32];
static volatile int n;

static void
handle (int sig)
{
  trace[n++] = '(';
  trace[n++] = (char) ('0' + sig - SIGRTMIN);
  if (sig < SIGRTMIN + 3)
    raise (sig + 1);
  trace[n++] = ')';
}

int
main (void)
{
  for (int i = 0; i < 4; i++)
    signal (SIGRTMIN + i, handle);
  raise (SIGRTMIN);
  puts (trace);
  return 0;
}
