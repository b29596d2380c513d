/* system: statuses of commands, signals restored.  */
/* test: same-output */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int
main (void)
{
  setvbuf (stdout, NULL, _IONBF, 0);
  printf ("%d\n", system ("echo from a shell") == 0);
  int status = system ("exit 9");
  printf ("%d\n", WEXITSTATUS (status));
  status = system ("kill -TERM $$");
  printf ("%d %d\n", WIFSIGNALED (status), WTERMSIG (status));
  printf ("%d\n", WEXITSTATUS (system ("/no/such/command 2>/dev/null")));
  return 0;
}
