/* mprotect splits and joins mappings; PROT_NONE reservations committed
   piece by piece.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

int
main (void)
{
  enum { PAGES = 256 };
  char *p = mmap (NULL, PAGES * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int sum = 0;
  assert (p != MAP_FAILED);
  for (int i = 0; i < PAGES; i += 2)
    {
      assert (mprotect (p + i * 4096, 4096, PROT_READ | PROT_WRITE) == 0);
      p[i * 4096 + i] = (char) i;
    }
  for (int i = 0; i < PAGES; i += 4)
    assert (mprotect (p + i * 4096, 4096, PROT_READ) == 0);
  assert (mprotect (p, PAGES * 4096, PROT_READ | PROT_WRITE) == 0);
  for (int i = 0; i < PAGES; i++)
    sum += (unsigned char) p[i * 4096 + i];
  assert (mprotect (p + 1, 4096, PROT_READ) == -1 && errno == EINVAL);
  printf ("%d\n", sum);
  return 0;
}
