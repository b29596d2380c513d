/* A read-only shared mapping of a file that the program changes by calls:
   the mapping shows every change.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  char name[] = "map.XXXXXX";
  int fd = mkstemp (name);
  assert (fd >= 0 && unlink (name) == 0 && write (fd, "first", 5) == 5);
  const char *p = mmap (NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  const char *q = mmap (NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  assert (p != MAP_FAILED && q != MAP_FAILED);
  printf ("%.9s\n", p);
  assert (pwrite (fd, "second", 6, 0) == 6);
  printf ("%.9s %.9s\n", p, q);
  return 0;
}
