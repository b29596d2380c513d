/* Standard input, by stdio and by read, to its end.  */
/* test: same-output stdin */
#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  char line[100], rest[100];
  long n, total = 0;
  if (fgets (line, sizeof line, stdin))
    printf ("first: %s", line);
  for (int c; (c = getchar ()) != EOF;)
    total += isalpha (c) != 0;
  while ((n = read (0, rest, sizeof rest)) > 0)
    total += n;
  printf ("%ld letters more, terminal: %d\n", total, isatty (0));
  return 0;
}
