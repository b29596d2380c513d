/* The hardest loops, in assembly: `inc mem; test of another word; jump'
   changes one word of memory and, between two inspections, nothing else.
   A third thread sets the word that ends them.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned long stop, counter, locked, far_away[100000];

static void *
inc (void *arg)
{
  __asm__ volatile ("1: incq %0\n\tcmpq $0, %1\n\tje 1b" : "+m"(counter) : "m"(stop) : "cc");
  return arg;
}

static void *
inc_locked (void *arg)
{
  __asm__ volatile ("1: lock incq %0\n\tcmpq $0, %1\n\tje 1b" : "+m"(locked) : "m"(stop) : "cc");
  return arg;
}

static void *
inc_through_pointer (void *arg)
{
  unsigned long *p = (unsigned long *) &far_away[77777];
  void *volatile hidden = &p;
  __asm__ volatile ("1: movq (%0), %%rax\n\tmovq (%%rax), %%rax\n\tincq (%%rax)\n\t"
                    "xorl %%eax, %%eax\n\tcmpq $0, %1\n\tje 1b"
                    :
                    : "r"(&hidden), "m"(stop)
                    : "rax", "cc", "memory");
  return arg;
}

int
main (void)
{
  void *(*const body[]) (void *) = { inc, inc_locked, inc_through_pointer };
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, body[i], NULL);
  while (!counter || !locked || !far_away[77777])
    ;
  for (volatile int d = 0; d < 20000000; d++)
    ;
  stop = 1;
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  printf ("%lu %lu %lu\n", counter, locked, far_away[77777]);
  return 0;
}
