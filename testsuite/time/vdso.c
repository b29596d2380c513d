/* The C library's own lookups of the vdso must lead to real calls: the
   auxiliary vector has no vdso, or it is harmless.  */
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
main (void)
{
  struct timespec a, b, c;
  printf ("vdso: %s\n", getauxval (AT_SYSINFO_EHDR) ? "yes" : "no");
  syscall (SYS_clock_gettime, CLOCK_MONOTONIC, &a);
  clock_gettime (CLOCK_MONOTONIC, &b);
  syscall (SYS_clock_gettime, CLOCK_MONOTONIC, &c);
  long first = (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
  long second = (c.tv_sec - b.tv_sec) * 1000000000 + c.tv_nsec - b.tv_nsec;
  printf ("%ld %ld\n", first, second);
  return first >= 0 && second >= 0 ? 0 : 1;
}
