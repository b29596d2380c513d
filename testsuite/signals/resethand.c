/* SA_RESETHAND: the second signal has its default effect.  */
/* test: same-output signal=10 */
#include <signal.h>
#include <stdio.h>

static void
handle (int sig)
{
  printf ("signal %d\n", sig);
  fflush (stdout);
}

int
main (void)
{
  struct sigaction sa = { .sa_handler = handle, .sa_flags = (int) SA_RESETHAND };
  sigaction (SIGUSR1, &sa, NULL);
  raise (SIGUSR1);
  raise (SIGUSR1);
  puts ("not reached");
  return 0;
}
