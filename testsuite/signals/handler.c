/* A plain handler, run by raise and by kill to oneself.  */
/* test: same-output */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int count;

static void
handle (int sig)
{
  count += sig;
}

int
main (void)
{
  signal (SIGUSR1, handle);
  signal (SIGUSR2, handle);
  for (int i = 0; i < 10; i++)
    raise (SIGUSR1);
  kill (getpid (), SIGUSR2);
  printf ("%d\n", count);
  return 0;
}
