/* Compute-bound: branches and arithmetic, no memory to speak of, no system
   call.  compute [ROUNDS]  */

/* build: -O2 */

#include <stdio.h>
#include <stdlib.h>

int
main (int argc, char **argv)
{
  long rounds = argc > 1 ? atol (argv[1]) : 100000000;
  unsigned long x = 88172645463325252;
  long odd = 0;

  for (long i = 0; i < rounds; i++)
    {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      if (x & 1)
        odd++;
      else if (x % 3 == 0)
        odd--;
    }
  printf ("%ld\n", odd);
  return 0;
}
