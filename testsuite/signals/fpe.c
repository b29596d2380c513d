/* SIGFPE: division by zero and overflow, integer and floating.  */
/* test: same-output */
#include <fenv.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf out;
static volatile int code;

static void
handle (int sig, siginfo_t *info, void *context)
{
  (void) context;
  code = info->si_code;
  siglongjmp (out, sig);
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  volatile int zero = 0, minus = -1, lowest = INT_MIN;
  volatile double dzero = 0, d = 1;
  sigaction (SIGFPE, &sa, NULL);
  if (sigsetjmp (out, 1) == 0)
    printf ("%d\n", 100 / zero);
  printf ("100/0: code %d\n", code);
  if (sigsetjmp (out, 1) == 0)
    printf ("%d\n", lowest / minus);
  printf ("INT_MIN/-1: code %d\n", code);
  feenableexcept (FE_DIVBYZERO);
  if (sigsetjmp (out, 1) == 0)
    {
      d /= dzero;
      printf ("%g\n", d);
    }
  printf ("1./0: code %d\n", code);
  return 0;
}
