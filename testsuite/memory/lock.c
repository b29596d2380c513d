/* mlock, mincore, msync and friends.  */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>

int
main (void)
{
  unsigned char vec[16];
  int resident = 0;
  char *p = mmap (NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 16; i += 3)
    p[i * 4096] = 1;
  assert (mincore (p, 65536, vec) == 0);
  for (int i = 0; i < 16; i++)
    resident += vec[i] & 1;
  printf ("%d resident\n", resident);
  printf ("mlock %d\n", mlock (p, 8192));
  printf ("mlock2 %d\n", mlock2 (p + 8192, 8192, MLOCK_ONFAULT));
  printf ("munlock %d\n", munlock (p, 16384));
  return 0;
}
