/* A shared file mapping: writes pass between the mapping and the file in
   both directions.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  char name[] = "map.XXXXXX", buf[16] = "";
  int fd = mkstemp (name);
  assert (fd >= 0 && unlink (name) == 0 && ftruncate (fd, 8192) == 0);
  char *p = mmap (NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert (p != MAP_FAILED);
  strcpy (p + 100, "by memory");
  assert (msync (p, 8192, MS_SYNC) == 0);
  assert (pread (fd, buf, 9, 100) == 9);
  puts (buf);
  assert (pwrite (fd, "by a call", 9, 5000) == 9);
  printf ("%s\n", p + 5000);
  assert (ftruncate (fd, 4100) == 0 && ftruncate (fd, 8192) == 0);
  printf ("after truncation: %d\n", p[5000]);
  return 0;
}
