/* Anonymous mappings: made, filled, cut in the middle, joined again.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 64 * 4096 };

int
main (void)
{
  char *p = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long sum = 0;
  assert (p != MAP_FAILED);
  memset (p, 1, SIZE);
  assert (munmap (p + 8 * 4096, 16 * 4096) == 0);
  char *q = mmap (p + 8 * 4096, 16 * 4096, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  assert (q == p + 8 * 4096);
  for (int i = 0; i < SIZE; i++)
    sum += p[i];
  printf ("%ld\n", sum);
  p = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  char *low = mmap (NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  printf ("%d %d\n", p[0], (unsigned long) low < 1ul << 32);
  return 0;
}
