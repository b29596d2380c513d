/* brk and sbrk: the heap grows, shrinks, is zero again, and cannot grow
   beyond its limit.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int
main (void)
{
  char *start = sbrk (0);
  assert (sbrk (100000) == start);
  start[99999] = 'x';
  assert (brk (start + 4096) == 0);
  assert (sbrk (200000) == start + 4096);
  printf ("%d\n", start[99999]);
  struct rlimit none = { 0, 0 };
  setrlimit (RLIMIT_DATA, &none);
  printf ("%d\n", sbrk (1 << 20) == (void *) -1);
  return 0;
}
