/* SIGILL: a handler that steps over ud2.  */
/* test: same-output */
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

static volatile int count;

static void
handle (int sig, siginfo_t *info, void *context)
{
  ucontext_t *uc = context;
  (void) sig;
  (void) info;
  count++;
  uc->uc_mcontext.gregs[REG_RIP] += 2;
  uc->uc_mcontext.gregs[REG_RAX] = 1234;
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  long rax = 0;
  sigaction (SIGILL, &sa, NULL);
  for (int i = 0; i < 3; i++)
    __asm__ volatile ("ud2" : "=a"(rax));
  printf ("%d, rax %ld\n", count, rax);
  return 0;
}
