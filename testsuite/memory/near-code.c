/* Calls that write into the program's own code pages and the stack's end:
   memory that a replay must not share.  */
/* test: same-output */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int
answer (void)
{
  return 41;
}

int
main (void)
{
  int (*volatile fn) (void) = answer;
  char *page = (char *) ((unsigned long) fn & ~4095ul), code[64];
  int fds[2];
  assert (pipe (fds) == 0);
  __builtin_memcpy (code, (void *) fn, sizeof code);
  int before = fn ();
  for (int i = 0; i < 60; i++)
    if (code[i] == 41)
      {
        code[i] = 42;
        break;
      }
  assert (mprotect (page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
  assert (write (fds[1], code, sizeof code) == sizeof code);
  assert (read (fds[0], (void *) fn, sizeof code) == sizeof code);
  printf ("%d %d\n", before, fn ());
  return 0;
}
