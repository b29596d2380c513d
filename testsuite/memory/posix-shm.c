/* POSIX shared memory.  */
/* test: same-output */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int
main (void)
{
  char name[40], buf[8] = "";
  snprintf (name, sizeof name, "/retro-test-%d", getpid ());
  int fd = shm_open (name, O_CREAT | O_EXCL | O_RDWR, 0600);
  assert (fd >= 0 && ftruncate (fd, 4096) == 0);
  char *p = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert (p != MAP_FAILED);
  int again = shm_open (name, O_RDONLY, 0);
  assert (again >= 0 && shm_unlink (name) == 0);
  strcpy (p, "posix");
  assert (read (again, buf, 5) == 5);
  puts (buf);
  return 0;
}
