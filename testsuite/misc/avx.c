/* AVX through the C library (string functions) and by hand, across
   system calls.  Exit 77 without AVX2.  */
/* build: -O2 -mavx2 */
/* test: same-output */
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
main (void)
{
  __builtin_cpu_init ();
  if (!__builtin_cpu_supports ("avx2"))
    return 77;
  long out[4];
  __asm__ volatile ("vpcmpeqd %%ymm7, %%ymm7, %%ymm7" : : : "xmm7");
  long ret = 39;
  __asm__ volatile ("syscall\n\tvmovdqu %%ymm7, %1" : "+a"(ret), "=m"(out) : : "rcx", "r11", "memory");
  printf ("%ld %ld %d\n", out[0], out[3], ret == getpid ());
  char *a = malloc (100001), *b = malloc (100001);
  memset (a, 'a', 100000);
  a[100000] = 0;
  strcpy (b, a);
  b[77777] = 'b';
  printf ("%zu %d %ld\n", strlen (b), strcmp (a, b), (long) ((char *) memchr (b, 'b', 100000) - b));
  return 0;
}
