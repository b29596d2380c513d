/* A program that closes its standard files, all of them.  */
/* test: same-output exit=3 */
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  puts ("the last words");
  fflush (stdout);
  close (0);
  close (1);
  close (2);
  puts ("unheard");
  return fflush (stdout) == EOF ? 3 : 1;
}
