/* A stack overflow, caught on the alternate stack and left by a jump.  */
/* build: -O0 -Wno-infinite-recursion */
/* test: same-output */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static sigjmp_buf out;
static volatile long depth;

static void
handle (int sig)
{
  siglongjmp (out, sig);
}

static int
dive (int n)
{
  volatile char room[1000];
  room[n % 1000] = (char) n;
  depth++;
  return dive (n + 1) + room[0];
}

int
main (void)
{
  struct rlimit small = { 1 << 20, 1 << 20 };
  struct sigaction sa = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
  stack_t alt = { .ss_sp = malloc (65536), .ss_size = 65536 };
  setrlimit (RLIMIT_STACK, &small);
  sigaltstack (&alt, NULL);
  sigaction (SIGSEGV, &sa, NULL);
  for (int i = 0; i < 2; i++)
    {
      depth = 0;
      int sig = sigsetjmp (out, 1);
      if (sig == 0)
        return dive (0);
      printf ("signal %d, deep: %d\n", sig, depth > 500);
    }
  return 0;
}
