/* Flags that only an instruction can see: carry, direction, alignment
   check, and the identification flag, across calls.  */
/* test: same-output */
#include <stdio.h>

int
main (void)
{
  unsigned long flags = 0;
  long ret = 39;
  __asm__ volatile ("std\n\tstc\n\tsyscall\n\tpushfq\n\tpopq %0\n\tcld"
                    : "=r"(flags), "+a"(ret)
                    :
                    : "rcx", "r11", "memory", "cc");
  printf ("carry %lu, direction %lu, trap %lu\n", flags & 1, flags >> 10 & 1, flags >> 8 & 1);
  __asm__ volatile ("pushfq\n\torq $0x200000, (%%rsp)\n\tpopfq\n\tpushfq\n\tpopq %0"
                    : "=r"(flags)
                    :
                    : "memory", "cc");
  printf ("identification %lu, trap %lu\n", flags >> 21 & 1, flags >> 8 & 1);
  return 0;
}
