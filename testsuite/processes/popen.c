/* popen in both directions.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/wait.h>

int
main (void)
{
  char line[100];
  int n = 0;
  FILE *in = popen ("i=0; while [ $i -lt 50 ]; do echo line $i; i=$((i+1)); done; exit 3", "r");
  assert (in);
  while (fgets (line, sizeof line, in))
    n++;
  int status = pclose (in);
  printf ("%d lines, the last: %sexit %d\n", n, line, WEXITSTATUS (status));
  fflush (stdout);
  FILE *out = popen ("sort -r", "w");
  assert (out);
  for (int i = 0; i < 5; i++)
    fprintf (out, "%d\n", i);
  printf ("%d\n", pclose (out));
  return 0;
}
