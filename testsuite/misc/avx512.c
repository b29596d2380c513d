/* AVX-512 registers and masks across system calls.  Exit 77 without.  */
/* build: -O2 -mavx512f */
/* test: same-output */
#include <immintrin.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  __builtin_cpu_init ();
  if (!__builtin_cpu_supports ("avx512f"))
    return 77;
  __m512i x = _mm512_set1_epi64 (3), step = _mm512_set_epi64 (8, 7, 6, 5, 4, 3, 2, 1);
  for (int i = 0; i < 1000; i++)
    {
      __mmask8 m = _mm512_cmpgt_epi64_mask (step, _mm512_set1_epi64 (i % 8));
      x = _mm512_mask_add_epi64 (x, m, x, step);
      if (i % 100 == 0)
        getppid ();
    }
  printf ("%lld\n", _mm512_reduce_add_epi64 (x));
  return 0;
}
