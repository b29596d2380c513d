/* 16 GB of address space of which little is touched.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>

int
main (void)
{
  size_t size = 16ul << 30;
  char *p = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
  long sum = 0;
  assert (p != MAP_FAILED);
  for (size_t i = 0; i < size; i += 64ul << 20)
    p[i] = 1;
  for (size_t i = 0; i < size; i += 64ul << 20)
    sum += p[i];
  printf ("%ld\n", sum);
  return 0;
}
