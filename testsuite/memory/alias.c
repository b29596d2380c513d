/* One memfd mapped twice: a write through one address is read through the
   other, without any call between.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  int fd = memfd_create ("alias", MFD_CLOEXEC);
  assert (fd >= 0 && ftruncate (fd, 8192) == 0);
  volatile int *p = mmap (NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  volatile int *q = mmap (NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert (p != MAP_FAILED && q != MAP_FAILED && p != q);
  for (int i = 0; i < 1000; i++)
    if (i % 2)
      p[i] = q[i - 1] + 1;
    else
      q[i] = i ? p[i - 1] + 1 : 1;
  printf ("%d %d\n", p[998], q[999]);
  return 0;
}
