/* /proc/self/mem, read and written: memory changed through a file.  */
/* test: same-output */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static volatile int value = 7;

int
main (void)
{
  int fd = open ("/proc/self/mem", O_RDWR), got = 0, other = 99;
  assert (fd >= 0);
  assert (pread (fd, &got, sizeof got, (long) &value) == sizeof got);
  assert (pwrite (fd, &other, sizeof other, (long) &value) == sizeof other);
  printf ("%d %d\n", got, value);
  return 0;
}
