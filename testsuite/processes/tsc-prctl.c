/* A program that asks for traps of rdtsc itself, as few do.  */
/* test: same-output */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

static sigjmp_buf out;

static void
handle (int sig)
{
  siglongjmp (out, sig);
}

int
main (void)
{
  int mode = 0;
  prctl (PR_GET_TSC, &mode);
  printf ("%d\n", mode);
  signal (SIGSEGV, handle);
  prctl (PR_SET_TSC, PR_TSC_SIGSEGV);
  int sig = sigsetjmp (out, 1);
  if (sig == 0)
    __builtin_ia32_rdtsc ();
  printf ("signal %d\n", sig);
  prctl (PR_SET_TSC, PR_TSC_ENABLE);
  printf ("%d\n", __builtin_ia32_rdtsc () != 0);
  return 0;
}
