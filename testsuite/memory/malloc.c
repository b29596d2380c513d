/* malloc, calloc, realloc, aligned and big blocks, in a random order.  */
#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (void)
{
  enum { SLOTS = 256 };
  static char *slot[SLOTS];
  unsigned x = 1;
  unsigned long hash = 0;
  for (int i = 0; i < 50000; i++)
    {
      x = x * 1103515245 + 12345;
      int k = x >> 8 & (SLOTS - 1);
      size_t size = (x >> 16) % (i % 1000 ? 3000 : 600000) + 1;
      if (i % 3 == 0)
        slot[k] = realloc (slot[k], size);
      else
        {
          free (slot[k]);
          slot[k] = i % 3 == 1 ? malloc (size) : calloc (1, size);
        }
      memset (slot[k], (int) x, size);
      hash = hash * 31 + (unsigned long) slot[k];
    }
  void *aligned = NULL;
  assert (posix_memalign (&aligned, 65536, 100) == 0);
  malloc_trim (0);
  printf ("%lx %p\n", hash, aligned);
  return 0;
}
