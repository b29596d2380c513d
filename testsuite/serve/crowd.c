/* Words that are written thousands of times: one with another value each
   time, one that changes once.  */

/* build: -O0 */

#include <stdio.h>

static volatile long word, flag, quiet;

static void
done (void)
{
  printf ("%ld %ld %ld\n", word, flag, quiet);
}

int
main (void)
{
  for (long i = 0; i < 20000; i++)
    {
      word = i;
      flag = i >= 3000; /* changes once */
    }
  for (long i = 0; i < 100000; i++)
    quiet += i & 3;
  done ();
  return 0;
}
