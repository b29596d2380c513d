/* Arguments, environment and the auxiliary vector.  */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  size_t size = 0;
  int n = 0;
  for (char **e = environ; *e; e++, n++)
    size += strlen (*e);
  printf ("%d arguments, %s; %d variables, %zu bytes\n", argc, strrchr (argv[0], '/'), n, size);
  printf ("page size %lu, %s\n", getauxval (AT_PAGESZ), (char *) getauxval (AT_PLATFORM));
  return 0;
}
