/* Huge pages: by madvise, and MAP_HUGETLB, which may well be refused.  */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

int
main (void)
{
  enum { SIZE = 8 << 20 };
  int rw = PROT_READ | PROT_WRITE, anon = MAP_PRIVATE | MAP_ANONYMOUS;
  char *p = mmap (NULL, SIZE, rw, anon, -1, 0);
  assert (p != MAP_FAILED);
  printf ("%d\n", madvise (p, SIZE, MADV_HUGEPAGE));
  for (int i = 0; i < SIZE; i += 4096)
    p[i] = (char) (i >> 12);
  long sum = 0;
  for (int i = 0; i < SIZE; i += 4096)
    sum += p[i];
  madvise (p, SIZE, MADV_NOHUGEPAGE);
  char *q = mmap (NULL, 2 << 20, rw, anon | MAP_HUGETLB, -1, 0);
  printf ("%ld %s\n", sum, q == MAP_FAILED ? "no huge pages" : "huge pages");
  return 0;
}
