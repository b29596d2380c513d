/* A fault whose signal is blocked kills even though there is a handler.  */
/* test: same-output signal=11 */
#include <signal.h>
#include <stdio.h>

static void
handle (int sig)
{
  printf ("not reached %d\n", sig);
}

int
main (void)
{
  sigset_t set;
  signal (SIGSEGV, handle);
  sigemptyset (&set);
  sigaddset (&set, SIGSEGV);
  sigprocmask (SIG_BLOCK, &set, NULL);
  *(volatile int *) 8 = 1;
  return 0;
}
