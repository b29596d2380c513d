/* stdio: buffered files, formats, seeks, temporary files, memory streams.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int
main (void)
{
  FILE *file = tmpfile ();
  char *text = NULL, word[20];
  size_t size = 0;
  double d;
  int i;
  assert (file);
  for (i = 0; i < 2000; i++)
    fprintf (file, "%d %f word%d\n", i, i / 3.0, i);
  rewind (file);
  for (int n = 0; n < 1500; n++)
    assert (fscanf (file, "%d %lf %19s", &i, &d, word) == 3);
  printf ("%d %f %s at %ld\n", i, d, word, ftell (file));
  fclose (file);
  file = open_memstream (&text, &size);
  for (i = 0; i < 300; i++)
    fprintf (file, "%x", i);
  fclose (file);
  printf ("%zu %.10s\n", size, text);
  free (text);
  fprintf (stderr, "to stderr\n");
  return 0;
}
