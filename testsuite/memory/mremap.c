/* mremap: growing, shrinking, moving, onto a fixed place, DONTUNMAP.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#define AT ((char *) 0x40000000)

int
main (void)
{
  int rw = PROT_READ | PROT_WRITE, anon = MAP_PRIVATE | MAP_ANONYMOUS;
  char *p = mmap (AT, 8192, rw, anon | MAP_FIXED, -1, 0);
  strcpy (p, "first page");
  strcpy (p + 4096, "second page");
  assert (mremap (p, 8192, 65536, 0) == p && p[65535] == 0);
  assert (mmap (AT + 65536, 4096, rw, anon | MAP_FIXED, -1, 0) == AT + 65536);
  assert (mremap (p, 65536, 1 << 20, 0) == MAP_FAILED && errno == ENOMEM);
  char *q = mremap (p, 65536, 1 << 20, MREMAP_MAYMOVE);
  assert (q != MAP_FAILED && q != p);
  printf ("%s, %s\n", q, q + 4096);
  assert (mremap (q, 1 << 20, 4096, 0) == q);
  char *r = mremap (q, 4096, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, AT + 0x1000000);
  assert (r == AT + 0x1000000);
  printf ("%s, %d\n", r, r[4096]);
  q = mremap (r, 8192, 8192, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
  if (q != MAP_FAILED)
    assert (strcmp (q, "first page") == 0 && r[0] == 0);
  return 0;
}
