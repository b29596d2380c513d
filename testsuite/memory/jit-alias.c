/* A JIT with two views: written through one, run through the other.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned char template[] = { 0xb8, 0, 0, 0, 0, 0xc3 };

int
main (void)
{
  int fd = memfd_create ("code", 0);
  assert (fd >= 0 && ftruncate (fd, 4096) == 0);
  unsigned char *w = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  void *x = mmap (NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
  assert (w != MAP_FAILED && x != MAP_FAILED);
  long sum = 0;
  for (int i = 0; i < 100; i++)
    {
      memcpy (w, template, sizeof template);
      memcpy (w + 1, &i, 4);
      sum += ((int (*) (void)) x) ();
    }
  printf ("%ld\n", sum);
  return 0;
}
