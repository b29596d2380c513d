/* Calls that are given bad addresses, or buffers that end early: EFAULT
   and partial results.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int
main (void)
{
  int fds[2];
  char *volatile bad = (char *) 16;
  char *p = mmap (NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert (p != MAP_FAILED && munmap (p + 4096, 4096) == 0 && pipe (fds) == 0);
  assert (write (fds[1], "0123456789", 10) == 10);
  assert (read (fds[0], bad, 4) == -1 && errno == EFAULT);
  ssize_t n = read (fds[0], p + 4094, 8);
  printf ("read: %zd %d\n", n, n < 0 ? errno == EFAULT : p[4094]);
  assert (stat (bad, (struct stat *) p) == -1 && errno == EFAULT);
  assert (fstat (fds[0], (struct stat *) bad) == -1 && errno == EFAULT);
  assert (pipe ((int *) bad) == -1 && errno == EFAULT);
  puts ("done");
  return 0;
}
