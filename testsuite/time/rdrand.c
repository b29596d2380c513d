/* rdrand and rdseed cannot be trapped; a program that asks cpuid first,
   as it should, must get what the replay can repeat.  Exit 77 where cpuid
   cannot be trapped, either: there nothing helps.  */
#include <asm/prctl.h>
#include <cpuid.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
has (unsigned leaf, int reg, unsigned bit)
{
  unsigned r[4];
  return __get_cpuid_count (leaf, 0, &r[0], &r[1], &r[2], &r[3]) && r[reg] & bit;
}

int
main (void)
{
  unsigned long long x = 0, y = 0;
  unsigned char ok = 0;
  if (syscall (SYS_arch_prctl, ARCH_SET_CPUID, 1) != 0)
    return 77;
  if (has (1, 2, bit_RDRND))
    __asm__ volatile ("rdrand %0; setc %1" : "=r"(x), "=qm"(ok) : : "cc");
  if (has (7, 1, bit_RDSEED))
    __asm__ volatile ("rdseed %0; setc %1" : "=r"(y), "=qm"(ok) : : "cc");
  printf ("%llx %llx %d\n", x, y, ok);
  return 0;
}
