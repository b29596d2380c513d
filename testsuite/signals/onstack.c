/* sigaltstack and SA_ONSTACK.  */
/* test: same-output */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static char *stack;
static volatile int on_stack, active;

static void
handle (int sig)
{
  char here;
  stack_t now;
  (void) sig;
  on_stack = (&here >= stack && &here < stack + SIGSTKSZ);
  sigaltstack (NULL, &now);
  active = now.ss_flags & SS_ONSTACK;
}

int
main (void)
{
  struct sigaction sa = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
  stack = malloc ((size_t) SIGSTKSZ);
  stack_t alt = { .ss_sp = stack, .ss_size = (size_t) SIGSTKSZ };
  assert (sigaltstack (&alt, NULL) == 0);
  sigaction (SIGUSR1, &sa, NULL);
  sa.sa_flags = 0;
  sigaction (SIGUSR2, &sa, NULL);
  raise (SIGUSR1);
  printf ("with SA_ONSTACK: %d %d\n", on_stack, active);
  raise (SIGUSR2);
  printf ("without: %d %d\n", on_stack, active);
  return 0;
}
