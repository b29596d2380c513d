/* What the dynamic loader leaves below the stack pointer when it binds a
   function at its first call, with no vector register in use: see
   helper/record/loader.c.  Exit 77 without AVX.  */
/* build: -Wl,-z,lazy -fno-builtin -mavx */
#include <math.h>
#include <stdio.h>

static unsigned long sum;

/* Some 6 KB of the stack as the last call left it.  */
static void __attribute__ ((noinline))
read_stale (void)
{
  volatile unsigned long stale[800];
  unsigned long (*volatile hide)[800] = (void *) stale;

  for (int i = 0; i < 800; i++)
    sum = sum * 31 + (*hide)[i];
}

static void __attribute__ ((noinline))
clear_registers (void)
{
  __builtin_ia32_vzeroall ();
  __asm__ volatile (".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
                    "pxor %%xmm\\r,%%xmm\\r\n"
                    ".endr"
                    :
                    :
                    : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  for (volatile int i = 0; i < 1000000; i++)
    ;
}

int
main (void)
{
  volatile double kept;

  __builtin_cpu_init ();
  if (!__builtin_cpu_supports ("avx"))
    return 77;

#define TRY(f) (clear_registers (), kept = f (0), read_stale ())
  TRY (sin), TRY (cos), TRY (tan), TRY (asin), TRY (acos), TRY (atan), TRY (sinh), TRY (cosh), TRY (tanh);
  TRY (asinh), TRY (exp), TRY (exp2), TRY (expm1), TRY (log1p), TRY (sqrt), TRY (cbrt), TRY (erf), TRY (erfc);
  TRY (ceil), TRY (floor), TRY (trunc), TRY (rint), TRY (nearbyint), TRY (round), TRY (lrint), TRY (llround);
  TRY (sinf), TRY (cosf), TRY (tanf), TRY (asinf), TRY (acosf), TRY (atanf), TRY (expf), TRY (cbrtf), TRY (erff);
  (void) kept;
  printf ("%lx\n", sum);
  return 0;
}
