/* A compute-bound program: sorting and hashing, no calls between.  */
/* test: same-output */
#include <stdio.h>
#include <stdlib.h>

enum { N = 500000 };
static int a[N];

static int
compare (const void *x, const void *y)
{
  int p = *(const int *) x, q = *(const int *) y;
  return (p > q) - (p < q);
}

int
main (void)
{
  unsigned x = 1;
  unsigned long hash = 0;
  for (int i = 0; i < N; i++)
    a[i] = (int) (x = x * 1103515245 + 12345);
  qsort (a, N, sizeof a[0], compare);
  for (int i = 0; i < N; i++)
    hash = hash * 31 + (unsigned) a[i];
  printf ("%lx\n", hash);
  return 0;
}
