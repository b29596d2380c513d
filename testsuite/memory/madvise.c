/* madvise: DONTNEED zeroes, REMOVE punches, others only advise.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  char *p = mmap (NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert (p != MAP_FAILED);
  memset (p, 'a', 65536);
  assert (madvise (p + 4096, 8192, MADV_DONTNEED) == 0);
  printf ("%d %d %d\n", p[4095], p[4096], p[12288]);
  assert (madvise (p, 65536, MADV_WILLNEED) == 0);
  assert (madvise (p, 65536, MADV_SEQUENTIAL) == 0);
  int fd = memfd_create ("test", 0);
  assert (fd >= 0 && ftruncate (fd, 65536) == 0);
  char *q = mmap (NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  memset (q, 'b', 65536);
  assert (madvise (q, 4096, MADV_DONTNEED) == 0);
  printf ("shared: %d\n", q[0]);
  assert (madvise (q, 4096, MADV_REMOVE) == 0);
  printf ("removed: %d %d\n", q[0], q[4096]);
  return 0;
}
