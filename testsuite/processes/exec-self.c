/* The program execs itself a few times; the environment counts.  */
/* test: same-output exit=3 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  char arg[20];
  int n = argc > 1 ? atoi (argv[1]) : 0;
  printf ("round %d, COUNT=%s\n", n, getenv ("COUNT") ? getenv ("COUNT") : "");
  fflush (stdout);
  if (n == 3)
    return n;
  snprintf (arg, sizeof arg, "%d", n + 1);
  setenv ("COUNT", arg, 1);
  execl ("/proc/self/exe", "renamed", arg, (char *) NULL);
  return 1;
}
