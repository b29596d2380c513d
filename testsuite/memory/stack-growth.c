/* The stack grows by deep recursion and by one big array.  */
/* build: -O0 */
/* test: same-output */
#include <stdio.h>
#include <string.h>

static long
recurse (int n)
{
  volatile char room[200];
  room[n % 200] = (char) n;
  return n == 0 ? 0 : recurse (n - 1) + (room[n % 200] == (char) n);
}

static long
use_big_array (void)
{
  char big[5 << 20];
  memset (big, 1, sizeof big);
  long sum = 0;
  for (size_t i = 0; i < sizeof big; i++)
    sum += big[i];
  return sum;
}

int
main (void)
{
  printf ("%ld\n", recurse (10000));
  printf ("%ld\n", use_big_array ());
  return 0;
}
