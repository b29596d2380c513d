/* Signals in the middle of a long rep movsb, which goes on between them.  */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

enum
{
  COUNT = 6
};

static volatile int count;
static volatile long left[COUNT];
static const struct itimerval off;

static void
handle (int sig, siginfo_t *info, void *context)
{
  ucontext_t *uc = context;
  (void) sig;
  (void) info;
  if (count < COUNT)
    left[count++] = (long) uc->uc_mcontext.gregs[REG_RCX];
  if (count == COUNT)
    setitimer (ITIMER_VIRTUAL, &off, NULL);
}

int
main (void)
{
  enum { SIZE = 32 << 20 };
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  struct itimerval fast = { { 0, 1000 }, { 0, 1000 } };
  char *a = calloc (1, SIZE), *b = malloc (SIZE);
  sigaction (SIGVTALRM, &sa, NULL);
  /* By the time that the program computes, lest checks take all of it.  */
  setitimer (ITIMER_VIRTUAL, &fast, NULL);
  while (count < COUNT)
    {
      void *dst = b, *src = a;
      long n = SIZE;
      __asm__ volatile ("rep movsb" : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
    }
  for (int i = 0; i < COUNT; i++)
    printf ("%ld ", left[i]);
  puts ("");
  return 0;
}
