/* SIGSEGV handled: the handler makes the page writable or moves the pc
   past the instruction, and returns.  */
/* test: same-output */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

static char *page;
static volatile int faults;

static void
handle (int sig, siginfo_t *info, void *context)
{
  ucontext_t *uc = context;
  (void) sig;
  faults++;
  if (info->si_addr == page + 8)
    mprotect (page, 4096, PROT_READ | PROT_WRITE);
  else
    uc->uc_mcontext.gregs[REG_RIP] += 2;
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  page = mmap (NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert (page != MAP_FAILED);
  sigaction (SIGSEGV, &sa, NULL);
  page[8] = 'x';
  printf ("%c after %d fault\n", page[8], faults);
  for (int i = 0; i < 5; i++)
    __asm__ volatile ("movb %%al, (%%rdi)" : : "D"(0x10l), "a"(1) : "memory");
  printf ("%d faults\n", faults);
  return 0;
}
