/* MAP_GROWSDOWN: touched below its start, the mapping grows.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>

#define TOP ((char *) 0x30000000)

int
main (void)
{
  char *p = mmap (TOP - 8192, 8192, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
  assert (p == TOP - 8192);
  for (int i = 1; i < 100000; i += 1000)
    *(volatile char *) (TOP - i) = 'x';
  long n = 0;
  for (char *q = TOP - 1; q >= TOP - 99001; q--)
    n += *q == 'x';
  printf ("%ld\n", n);
  return 0;
}
