/* MADV_FREE: the kernel may or may not have dropped the pages by now.  */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int
main (void)
{
  enum { SIZE = 4 << 20 };
  char *p = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long kept = 0;
  memset (p, 1, SIZE);
  madvise (p, SIZE, MADV_FREE);
  for (int i = 0; i < SIZE; i += 4096)
    kept += p[i];
  memset (p, 2, SIZE);
  printf ("%ld %d\n", kept, p[SIZE - 1]);
  return 0;
}
