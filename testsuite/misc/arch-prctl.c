/* The segment bases: by arch_prctl and, where the kernel lets programs do
   it, by wrgsbase.  */
/* test: same-output */
#include <asm/prctl.h>
#include <assert.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

static long data[4] = { 11, 22, 33, 44 };

static long
read_gs (long offset)
{
  long value;
  __asm__ volatile ("movq %%gs:(%1), %0" : "=r"(value) : "r"(offset) : "memory");
  return value;
}

int
main (void)
{
  unsigned long base = 0;
  assert (syscall (SYS_arch_prctl, ARCH_SET_GS, data) == 0);
  assert (syscall (SYS_arch_prctl, ARCH_GET_GS, &base) == 0 && base == (unsigned long) data);
  printf ("%ld\n", read_gs (8));
  if (getauxval (AT_HWCAP2) & 2)
    {
      __asm__ volatile ("wrgsbase %0" : : "r"(data + 1));
      getppid ();
    }
  printf ("%ld\n", read_gs (16) == 33 || read_gs (16) == 44 ? 1l : 0l);
  return 0;
}
