/* SIGSEGV of three kinds, left by a jump; si_code and address told.  */
/* test: same-output */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static sigjmp_buf out;
static volatile int code;
static void *volatile addr;

static void
handle (int sig, siginfo_t *info, void *context)
{
  (void) context;
  code = info->si_code;
  addr = info->si_addr;
  siglongjmp (out, sig);
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  char *page = mmap ((void *) 0x10000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                     -1, 0);
  sigaction (SIGSEGV, &sa, NULL);
  if (sigsetjmp (out, 1) == 0)
    *(volatile char *) 16 = 1;
  printf ("unmapped: code %d at %p\n", code, addr);
  if (sigsetjmp (out, 1) == 0)
    ((volatile char *) page)[5] = 1;
  printf ("read-only: code %d at %p\n", code, addr);
  if (sigsetjmp (out, 1) == 0)
    ((void (*) (void)) (void *) page) ();
  printf ("not executable: code %d at %p\n", code, addr);
  if (sigsetjmp (out, 1) == 0)
    *(volatile char *) 0x8000000000000000 = 1;
  printf ("not canonical: code %d at %p\n", code, addr);
  return 0;
}
