/* A handler rewrites the context it returns to: registers, vector
   registers, the mask.  */
/* test: same-output */
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

static void
handle (int sig, siginfo_t *info, void *context)
{
  ucontext_t *uc = context;
  (void) sig;
  (void) info;
  uc->uc_mcontext.gregs[REG_RBX] = 4711;
  uc->uc_mcontext.fpregs->_xmm[5].element[0] = 815;
  uc->uc_mcontext.gregs[REG_RIP] += 2;
  sigaddset (&uc->uc_sigmask, SIGTERM);
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  long rbx;
  int xmm;
  sigset_t now;
  sigaction (SIGILL, &sa, NULL);
  __asm__ volatile ("xorl %%ebx, %%ebx\n\tpxor %%xmm5, %%xmm5\n\tud2\n\tmovd %%xmm5, %%eax"
                    : "=b"(rbx), "=a"(xmm)
                    :
                    : "xmm5", "memory");
  sigprocmask (SIG_BLOCK, NULL, &now);
  printf ("rbx %ld, xmm %d, SIGTERM masked: %d\n", rbx, xmm, sigismember (&now, SIGTERM));
  return 0;
}
