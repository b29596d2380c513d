/* A child writes to memory that it shares with the program, which waits
   for it by a call.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  volatile int *p = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert (p != MAP_FAILED);
  if (fork () == 0)
    {
      for (int i = 0; i < 1000; i++)
        p[i] = i * i;
      _exit (0);
    }
  wait (NULL);
  printf ("%d %d\n", p[10], p[999]);
  return 0;
}
