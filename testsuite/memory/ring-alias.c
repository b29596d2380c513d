/* A ring buffer mapped twice in a row, the usual trick.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  enum { SIZE = 8192 };
  int fd = memfd_create ("ring", 0);
  assert (fd >= 0 && ftruncate (fd, SIZE) == 0);
  char *p = mmap (NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert (p != MAP_FAILED);
  for (int i = 0; i < 2; i++)
    assert (mmap (p + i * SIZE, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0)
            == p + i * SIZE);
  strcpy (p + SIZE - 6, "around the corner");
  printf ("%.6s|%s\n", p + SIZE - 6, p);
  return 0;
}
