/* System-call-bound: small writes to a pipe and small reads from it.
   syscalls [CALLS]  */

/* build: -O2 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  long calls = argc > 1 ? atol (argv[1]) : 20000;
  char message[16] = "fifteen letters", answer[16];
  int fds[2];

  if (pipe (fds) != 0)
    return 1;
  for (long i = 0; i < calls / 2; i++)
    {
      if (write (fds[1], message, sizeof message) != sizeof message)
        return 1;
      if (read (fds[0], answer, sizeof answer) != sizeof answer)
        return 1;
      message[i % 15] = (char) ('a' + i % 26);
    }
  printf ("%s\n", answer);
  return 0;
}
