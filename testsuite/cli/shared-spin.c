/* Wait, without a call, for a child to store something in shared memory.  */
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  atomic_int *word = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork ();

  if (child == 0)
    {
      for (volatile int i = 0; i < 1000000; i++)
        ;
      atomic_store (word, 7);
      _exit (0);
    }
  while (atomic_load (word) == 0)
    ;
  waitpid (child, NULL, 0);
  printf ("%d\n", atomic_load (word));
  return 0;
}
