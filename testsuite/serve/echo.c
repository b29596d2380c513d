/* Serves lines that come through the FIFO argv[1]: for each it writes one to
   the FIFO argv[2], as soon as somebody reads there.  "quit" ends it.  Nobody
   waits by sleeping, so a test can tell it when to go on.  */

/* build: -O0 */

#include <stdio.h>
#include <string.h>

static int served;

static void
serve (const char *line, const char *out)
{
  FILE *file;

  served++;
  file = fopen (out, "w");
  fprintf (file, "%d: %s", served, line);
  fclose (file);
}

int
main (int argc, char **argv)
{
  char line[200];
  FILE *in;

  if (argc != 3 || (in = fopen (argv[1], "r+")) == NULL)
    return 2;
  while (fgets (line, sizeof line, in) != NULL && strcmp (line, "quit\n") != 0)
    serve (line, argv[2]);
  return 0;
}
