/* Rounding modes and exception flags of both floating-point units live
   across calls and in threads.  */
/* test: threads same-output */
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>

static void *
divide (void *arg)
{
  volatile double one = 1, three = 3;
  volatile long double lone = 1, lthree = 3;
  fesetround (*(int *) arg);
  for (int i = 0; i < 10; i++)
    sched_yield ();
  printf ("%.20g %.22Lg %d\n", one / three, lone / lthree, fetestexcept (FE_INEXACT) != 0);
  return NULL;
}

int
main (void)
{
  static int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST };
  for (int i = 0; i < 4; i++)
    {
      pthread_t t;
      pthread_create (&t, NULL, divide, &modes[i]);
      pthread_join (t, NULL);
    }
  return 0;
}
