/* siglongjmp out of handlers, from a call and from pure computation.  */
/* test: same-output */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static sigjmp_buf out;
static volatile unsigned long work;

static void
handle (int sig)
{
  siglongjmp (out, sig);
}

int
main (void)
{
  struct itimerval soon = { .it_value = { 0, 3000 } };
  signal (SIGALRM, handle);
  for (volatile int i = 0; i < 3; i++)
    {
      if (sigsetjmp (out, 1) == 0)
        {
          setitimer (ITIMER_REAL, &soon, NULL);
          for (;;)
            if (i % 2)
              pause ();
            else
              work++;
        }
      printf ("out %d\n", i);
    }
  return 0;
}
