/* SA_NODEFER: the handler is entered again while it runs.  */
/* test: same-output */
#include <signal.h>
#include <stdio.h>

static volatile int depth, deepest;

static void
handle (int sig)
{
  if (++depth > deepest)
    deepest = depth;
  if (depth < 5)
    raise (sig);
  depth--;
}

int
main (void)
{
  struct sigaction sa = { .sa_handler = handle, .sa_flags = SA_NODEFER };
  sigaction (SIGUSR1, &sa, NULL);
  raise (SIGUSR1);
  printf ("%d\n", deepest);
  return 0;
}
