/* posix_spawn that fails: the child, in the parent's memory, writes the
   error there.  */
/* test: same-output */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  char *args[] = { "none", NULL }, *env[] = { NULL };
  pid_t pid = -1;
  for (int i = 0; i < 3; i++)
    {
      int ret = posix_spawn (&pid, i == 1 ? "/" : "/no/such/program", NULL, NULL, args, env);
      printf ("%s\n", strerror (ret));
    }
  printf ("%d\n", wait (NULL) == -1 && errno == ECHILD);
  return 0;
}
