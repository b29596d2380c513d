/* A private file mapping: the file's contents, own writes, not the file's.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  char name[] = "map.XXXXXX", c;
  int fd = mkstemp (name);
  assert (fd >= 0 && unlink (name) == 0);
  for (int i = 0; i < 10000; i++)
    assert (write (fd, &"0123456789"[i % 10], 1) == 1);
  char *p = mmap (NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  char *q = mmap (NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 8192);
  assert (p != MAP_FAILED && q != MAP_FAILED);
  p[5000] = 'x';
  assert (pread (fd, &c, 1, 5000) == 1);
  printf ("%c %c %c %c %d\n", p[5000], c, p[4999], q[0], q[1807] + q[1808]);
  close (fd);
  printf ("%c\n", p[9999]);
  return 0;
}
