/* Megabytes of output, in small and big pieces.  */
/* test: same-output */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (void)
{
  char *big = malloc (1 << 20);
  for (int i = 0; i < 20000; i++)
    printf ("line %d of the output\n", i);
  memset (big, 'x', 1 << 20);
  for (int i = 0; i < 5; i++)
    fwrite (big, 1, 1 << 20, stdout);
  free (big);
  return 0;
}
