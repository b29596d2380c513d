/* getrandom, getentropy, /dev/urandom, the auxiliary vector's bytes.  */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <unistd.h>

int
main (void)
{
  unsigned char buf[32];
  assert (getrandom (buf, 8, 0) == 8 && getentropy (buf + 8, 8) == 0);
  int fd = open ("/dev/urandom", O_RDONLY);
  assert (fd >= 0 && read (fd, buf + 16, 8) == 8);
  __builtin_memcpy (buf + 24, (void *) getauxval (AT_RANDOM), 8);
  for (int i = 0; i < 32; i++)
    printf ("%02x%s", buf[i], i % 8 == 7 ? "\n" : "");
  return 0;
}
