/* A write barrier by mprotect and SIGSEGV, as collectors use it.  */
/* test: same-output */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

enum { PAGES = 64 };
static char *heap;
static volatile int dirty[PAGES];

static void
mark_dirty (int sig, siginfo_t *info, void *context)
{
  long page = ((char *) info->si_addr - heap) / 4096;
  (void) sig;
  (void) context;
  dirty[page] = 1;
  mprotect (heap + page * 4096, 4096, PROT_READ | PROT_WRITE);
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = mark_dirty, .sa_flags = SA_SIGINFO };
  heap = mmap (NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert (heap != MAP_FAILED);
  sigaction (SIGSEGV, &sa, NULL);
  for (int round = 1; round < 8; round++)
    {
      int n = 0;
      mprotect (heap, PAGES * 4096, PROT_READ);
      for (int i = 0; i < PAGES; i++)
        dirty[i] = 0;
      for (int i = 0; i < PAGES * 4096; i += 1000 * round)
        heap[i]++;
      for (int i = 0; i < PAGES; i++)
        n += dirty[i];
      printf ("%d ", n);
    }
  puts ("");
  return 0;
}
