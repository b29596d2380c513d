/* An unhandled SIGBUS: a page beyond the end of a mapped file.  */
/* test: signal=7 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  char name[] = "bus.XXXXXX";
  int fd = mkstemp (name);
  assert (fd >= 0 && unlink (name) == 0);
  volatile char *map = mmap (NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  return map[0];
}
