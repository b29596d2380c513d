/* MAP_FIXED over other mappings, MAP_FIXED_NOREPLACE that fails.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define AT ((char *) 0x20000000)

int
main (void)
{
  int rw = PROT_READ | PROT_WRITE, anon = MAP_PRIVATE | MAP_ANONYMOUS;
  assert (mmap (AT, 65536, rw, anon | MAP_FIXED, -1, 0) == AT);
  memset (AT, 'a', 65536);
  assert (mmap (AT + 8192, 8192, rw, anon | MAP_FIXED, -1, 0) == AT + 8192);
  printf ("%d %d %d\n", AT[8191], AT[8192], AT[16384]);
  assert (mmap (AT, 4096, rw, anon | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED && errno == EEXIST);
  char *hinted = mmap (AT + 0x1000000, 4096, rw, anon, -1, 0);
  printf ("%d\n", hinted == AT + 0x1000000);
  hinted = mmap (AT, 4096, rw, anon, -1, 0);
  printf ("%d\n", hinted == AT);
  return 0;
}
