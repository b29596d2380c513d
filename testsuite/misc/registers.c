/* What a system call changes: rax, rcx and r11, nothing else.  */
/* test: same-output */
#include <stdio.h>

int
main (void)
{
  unsigned long r11 = 0, rcx = 0, rip = 0, sum = 0;
  long ret = 39;
  __asm__ volatile ("movq $1, %%r8\n\tmovq $2, %%r9\n\tmovq $3, %%r10\n\tmovq $4, %%r12\n\t"
                    "movq $5, %%r13\n\tsyscall\n1:\tleaq 1b(%%rip), %2\n\tmovq %%r11, %0\n\t"
                    "movq %%rcx, %1\n\taddq %%r8, %%r9\n\taddq %%r9, %%r10\n\t"
                    "addq %%r10, %%r12\n\taddq %%r12, %%r13\n\tmovq %%r13, %3"
                    : "=&S"(r11), "=&D"(rcx), "=&d"(rip), "=&b"(sum), "+a"(ret)
                    :
                    : "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "memory", "cc");
  printf ("rcx is the next instruction: %d, r11 has the interrupt flag: %lu, sum %lu\n", rcx == rip,
          r11 >> 9 & 1, sum);
  return 0;
}
