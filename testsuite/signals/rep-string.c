/* A signal in the middle of a long rep movsb.  */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

static volatile int count;
static volatile long left[5];

static void
handle (int sig, siginfo_t *info, void *context)
{
  ucontext_t *uc = context;
  (void) sig;
  (void) info;
  if (count < 5)
    left[count++] = (long) uc->uc_mcontext.gregs[REG_RCX];
}

int
main (void)
{
  enum { SIZE = 8 << 20 };
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  struct itimerval fast = { { 0, 1000 }, { 0, 1000 } };
  char *a = calloc (1, SIZE), *b = malloc (SIZE);
  sigaction (SIGALRM, &sa, NULL);
  setitimer (ITIMER_REAL, &fast, NULL);
  while (count < 5)
    {
      void *dst = b, *src = a;
      long n = SIZE;
      __asm__ volatile ("rep movsb" : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
    }
  for (int i = 0; i < 5; i++)
    printf ("%ld ", left[i]);
  puts ("");
  return 0;
}
