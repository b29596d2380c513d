/* memfd_create: size, seals, mapping, reading back.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  char buf[8] = "";
  int fd = memfd_create ("test", MFD_ALLOW_SEALING);
  assert (fd >= 0 && ftruncate (fd, 4096) == 0);
  char *p = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert (p != MAP_FAILED);
  strcpy (p, "sealed");
  assert (fcntl (fd, F_ADD_SEALS, F_SEAL_WRITE) == -1 && errno == EBUSY);
  munmap (p, 4096);
  assert (fcntl (fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK) == 0);
  assert (write (fd, "x", 1) == -1 && errno == EPERM);
  assert (read (fd, buf, 6) == 6);
  printf ("%s, seals %x\n", buf, (unsigned) fcntl (fd, F_GET_SEALS));
  return 0;
}
