/* cpuid: all leaves, hashed; the APIC number in leaf 1 tells the CPU.  */
#include <cpuid.h>
#include <stdio.h>

int
main (void)
{
  unsigned long hash = 0;
  unsigned a, b, c, d, top = __get_cpuid_max (0, NULL);
  for (unsigned leaf = 0; leaf <= top; leaf++)
    for (unsigned sub = 0; sub < 4; sub++)
      {
        __cpuid_count (leaf, sub, a, b, c, d);
        hash = ((hash * 31 + a) * 31 + b) * 31 + (leaf == 0xb ? 0 : c * 31 + d);
      }
  printf ("%u leaves, %lx\n", top, hash);
  return 0;
}
