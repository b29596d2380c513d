/* SIGTRAP by the trap flag: a program that single-steps itself.  */
#include <signal.h>
#include <stdio.h>

static volatile int steps;

static void
handle (int sig)
{
  (void) sig;
  steps++;
}

int
main (void)
{
  signal (SIGTRAP, handle);
  __asm__ volatile ("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tnop\n\tnop\n\tnop\n\t"
                    "pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq"
                    :
                    :
                    : "memory", "cc");
  printf ("%d\n", steps);
  return 0;
}
