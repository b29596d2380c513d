// Exceptions thrown and caught, through several frames.

/* build: -O0 */

#include <cstdio>
#include <stdexcept>

static int depth;

static void
deep (int n)
{
  depth = n;
  if (n == 0)
    throw std::runtime_error ("bottom");
  deep (n - 1);
}

static int
attempt (int n)
{
  try
    {
      deep (n);
    }
  catch (const std::exception &e)
    {
      std::printf ("caught %s\n", e.what ()); // in the handler
      return n;
    }
  return -1;
}

int
main ()
{
  int sum = 0;

  for (int i = 1; i <= 3; i++)
    sum += attempt (i);
  std::printf ("sum %d\n", sum); // the end
  return 0;
}
