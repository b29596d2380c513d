/* SIGTRAP: int3 in the program itself.  */
/* test: same-output */
#include <signal.h>
#include <stdio.h>

static volatile int count, code;

static void
handle (int sig, siginfo_t *info, void *context)
{
  (void) sig;
  (void) context;
  count++;
  code = info->si_code;
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  sigaction (SIGTRAP, &sa, NULL);
  for (int i = 0; i < 3; i++)
    __asm__ volatile ("int3");
  printf ("int3: %d, code %x\n", count, (unsigned) code);
  raise (SIGTRAP);
  printf ("raised: %d, code %d\n", count, code);
  return 0;
}
