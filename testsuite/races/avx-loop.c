/* Progress only in AVX registers: two threads multiply vectors.  Exit 77
   where the CPU has no AVX2.  */
/* build: -O2 -mavx2 -mfma */
/* test: threads */
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>

static volatile int done[2];
static double result[2];
static int other_was_done[2];

static void *
compute (void *arg)
{
  long me = (long) arg;
  __m256d x = _mm256_set_pd (1, 2, 3, (double) (me + 4));
  const __m256d a = _mm256_set1_pd (1.0000001), b = _mm256_set1_pd (1e-9);
  for (int i = 0; i < 40000000; i++)
    x = _mm256_fmadd_pd (x, a, b);
  double v[4];
  _mm256_storeu_pd (v, x);
  result[me] = v[0] + v[1] + v[2] + v[3];
  other_was_done[me] = done[!me];
  done[me] = 1;
  return NULL;
}

int
main (void)
{
  pthread_t t[2];
  __builtin_cpu_init ();
  if (!__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma"))
    return 77;
  for (long i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, compute, (void *) i);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  printf ("%.17g %.17g %d %d\n", result[0], result[1], other_was_done[0], other_was_done[1]);
  return 0;
}
