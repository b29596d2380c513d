/* setjmp and longjmp across many frames.  */
/* build: -Wno-infinite-recursion */
/* test: same-output */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf out;

static void
dive (int depth, int target)
{
  if (depth == target)
    longjmp (out, depth);
  dive (depth + 1, target);
}

int
main (void)
{
  volatile int sum = 0;
  for (volatile int i = 1; i < 50; i++)
    {
      int depth = setjmp (out);
      if (depth == 0)
        dive (0, i);
      sum += depth;
    }
  printf ("%d\n", sum);
  return 0;
}
