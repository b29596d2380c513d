/* Handlers that clobber vector registers while the program computes in
   them: the frame on the stack holds the extended state.  Exit 77
   without AVX2.  */
/* build: -O2 -mavx2 */
#include <immintrin.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile int count;
static volatile double junk;

static void
handle (int sig)
{
  __m256d x = _mm256_set1_pd (sig);
  for (int i = 0; i < 10; i++)
    x = _mm256_mul_pd (x, x);
  junk = _mm256_cvtsd_f64 (x);
  count++;
}

int
main (void)
{
  struct itimerval fast = { { 0, 2000 }, { 0, 2000 } };
  __builtin_cpu_init ();
  if (!__builtin_cpu_supports ("avx2"))
    return 77;
  __m256i x = _mm256_setzero_si256 ();
  const __m256i step = _mm256_set_epi64x (1, 2, 3, 4);
  signal (SIGALRM, handle);
  setitimer (ITIMER_REAL, &fast, NULL);
  while (count < 5)
    x = _mm256_add_epi64 (x, step);
  long v[4];
  _mm256_storeu_si256 ((__m256i *) v, x);
  printf ("%ld %ld %ld %ld: %d\n", v[0], v[1], v[2], v[3],
          v[3] * 4 == v[0] * 1 && v[2] * 3 == v[1] * 2 ? 0 : 1);
  return 0;
}
