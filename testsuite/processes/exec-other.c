/* The program becomes another one.  */
/* test: same-output exit=6 */
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  puts ("before");
  fflush (stdout);
  execl ("/bin/sh", "sh", "-c", "echo I am sh now; exit 6", (char *) NULL);
  return 1;
}
