/* Reads of megabytes at once.  */
/* test: same-output */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main (void)
{
  enum { SIZE = 20 << 20 };
  unsigned *buf = malloc (SIZE), x = 1;
  unsigned long hash = 0;
  int fd = open ("file", O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < SIZE / 4; i++)
    buf[i] = x = x * 1103515245 + 12345;
  assert (write (fd, buf, SIZE) == SIZE);
  free (buf);
  buf = malloc (SIZE);
  assert (pread (fd, buf, SIZE, 0) == SIZE);
  for (int i = 0; i < SIZE / 4; i++)
    hash = hash * 31 + buf[i];
  printf ("%lx\n", hash);
  unlink ("file");
  return 0;
}
