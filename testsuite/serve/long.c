/* Something to interrupt: a long computation, a wait for nothing, and a
   function that never returns.  Each says when it has begun.  */

/* build: -O0 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile long sum;

static void
tick (long i)
{
  sum += i;
}

static void
count (void)
{
  for (long i = 0; i < 30000000; i++)
    tick (i);
}

static void
forever (void)
{
  puts ("now it loops");
  for (;;)
    sum++;
}

static void
wait_here (void)
{
  puts ("now it waits");
  pause ();
}

int
main (int argc, char **argv)
{
  setvbuf (stdout, NULL, _IONBF, 0);
  count ();
  if (argc > 1 && strcmp (argv[1], "forever") == 0)
    forever ();
  wait_here ();
  return 0;
}
