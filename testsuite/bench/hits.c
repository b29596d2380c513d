/* A function called ten million times, each storing to a word, and then half
   a second of computation; all without a system call.  */

/* build: -O1 -g */

#include <stdio.h>

volatile long stored;

__attribute__ ((noinline)) static void
hit (long i)
{
  stored = i;
}

__attribute__ ((noinline)) static void
called (void)
{
  for (long i = 0; i < 10000000; i++)
    hit (i);
}

__attribute__ ((noinline)) static unsigned long
compute (void)
{
  unsigned long x = 88172645463325252, odd = 0;

  for (long i = 0; i < 150000000; i++)
    {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      if (x & 1)
        odd++;
    }
  return odd;
}

__attribute__ ((noinline)) static void
done (unsigned long odd)
{
  printf ("%lu\n", odd);
}

int
main (void)
{
  called ();
  unsigned long odd = compute ();
  done (odd);
  return 0;
}
