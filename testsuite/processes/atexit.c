/* atexit, on_exit, destructors, and buffers flushed at the end.  */
/* test: same-output exit=4 */
#include <stdio.h>
#include <stdlib.h>

__attribute__ ((constructor)) static void
begin (void)
{
  printf ("begin ");
}

__attribute__ ((destructor)) static void
end (void)
{
  printf ("end ");
}

static void
at_exit (void)
{
  printf ("atexit ");
}

static void
with_status (int status, void *arg)
{
  printf ("%s %d ", (char *) arg, status);
}

int
main (void)
{
  atexit (at_exit);
  on_exit (with_status, "status");
  exit (4);
}
