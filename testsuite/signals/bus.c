/* SIGBUS: a mapped file that has no such page.  */
/* test: same-output */
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf out;
static volatile int code;
static char *map;
static volatile long offset;

static void
handle (int sig, siginfo_t *info, void *context)
{
  (void) context;
  code = info->si_code;
  offset = (char *) info->si_addr - map;
  siglongjmp (out, sig);
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  char name[] = "bus.XXXXXX";
  int fd = mkstemp (name);
  assert (fd >= 0 && unlink (name) == 0 && ftruncate (fd, 100) == 0);
  map = mmap (NULL, 12288, PROT_READ, MAP_PRIVATE, fd, 0);
  assert (map != MAP_FAILED);
  sigaction (SIGBUS, &sa, NULL);
  printf ("%d\n", map[99]);
  if (sigsetjmp (out, 1) == 0)
    printf ("%d\n", ((volatile char *) map)[5000]);
  printf ("code %d at %ld\n", code, offset);
  assert (ftruncate (fd, 6000) == 0);
  printf ("%d\n", ((volatile char *) map)[5000]);
  return 0;
}
