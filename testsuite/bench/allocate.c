/* Allocation-bound: blocks of all sizes come and go; the big ones make the
   allocator call the kernel.  allocate [ROUNDS]  */

/* build: -O2 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  BLOCKS = 4096
};

static char *blocks[BLOCKS];

int
main (int argc, char **argv)
{
  long rounds = argc > 1 ? atol (argv[1]) : 10000000;
  unsigned x = 1;
  unsigned long sum = 0;

  for (long i = 0; i < rounds; i++)
    {
      x = x * 1103515245 + 12345;
      unsigned slot = x >> 20;
      size_t size = 16 + (x >> 8) % 512;
      if (i % 100000 == 0)
        size = 1 << 20;
      free (blocks[slot]);
      blocks[slot] = malloc (size);
      if (!blocks[slot])
        return 1;
      memset (blocks[slot], (int) i, size < 64 ? size : 64);
      sum += (unsigned char) blocks[slot][15];
    }
  printf ("%lu\n", sum);
  return 0;
}
