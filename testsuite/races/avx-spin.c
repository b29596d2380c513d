/* A loop that waits for a flag and whose progress is an AVX register:
   its value says when exactly the wait ended.  Exit 77 without AVX2.  */
/* build: -O2 -mavx2 */
/* test: threads */
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>

static volatile int stop;
static long lanes[4];

static void *
count (void *arg)
{
  __m256i x = _mm256_setzero_si256 ();
  const __m256i step = _mm256_set_epi64x (1, 2, 3, 4);
  while (!stop)
    x = _mm256_add_epi64 (x, step);
  _mm256_storeu_si256 ((__m256i *) lanes, x);
  return arg;
}

int
main (void)
{
  pthread_t t;
  __builtin_cpu_init ();
  if (!__builtin_cpu_supports ("avx2"))
    return 77;
  pthread_create (&t, NULL, count, NULL);
  for (volatile int d = 0; d < 80000000; d++)
    ;
  stop = 1;
  pthread_join (t, NULL);
  printf ("%ld %ld %ld %ld\n", lanes[0], lanes[1], lanes[2], lanes[3]);
  return 0;
}
