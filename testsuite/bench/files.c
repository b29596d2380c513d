/* I/O-bound: write a file in blocks, to the disk, and read it again.
   files PATH [MEGABYTES]  */

/* build: -O2 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char block[64 << 10];

int
main (int argc, char **argv)
{
  if (argc < 2)
    return 2;
  long blocks = (argc > 2 ? atol (argv[2]) : 256) * 16;
  unsigned long sum = 0;
  int fd = open (argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);

  if (fd < 0)
    return 1;
  for (long i = 0; i < blocks; i++)
    {
      for (unsigned j = 0; j < sizeof block; j += 64)
        block[j] = (char) (i + j / 64);
      if (write (fd, block, sizeof block) != (ssize_t) sizeof block)
        return 1;
    }
  if (fsync (fd) != 0 || lseek (fd, 0, SEEK_SET) != 0)
    return 1;
  while (read (fd, block, sizeof block) > 0)
    for (unsigned j = 0; j < sizeof block; j += 64)
      sum += (unsigned char) block[j];
  printf ("%lu\n", sum);
  return unlink (argv[1]) != 0;
}
