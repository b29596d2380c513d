/* The old way into the kernel; exit 77 where it is not compiled in.  The
   numbers of 32-bit calls differ: 20 is getpid.  */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sigjmp_buf out;

static void
handle (int sig)
{
  siglongjmp (out, sig);
}

int
main (void)
{
  long ret = 20;
  signal (SIGSEGV, handle);
  if (sigsetjmp (out, 1))
    return 77;
  __asm__ volatile ("int $0x80" : "+a"(ret) : : "memory");
  printf ("%d\n", ret == getpid () ? 1 : 0);
  return 0;
}
