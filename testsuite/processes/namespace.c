/* New namespaces, where the user may make them.  */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  int ret = unshare (CLONE_NEWUSER | CLONE_NEWNS);
  if (ret == 0)
    ret = unshare (CLONE_NEWPID);
  pid_t child = fork ();
  int status;
  if (child == 0)
    _exit (getpid () == 1);
  waitpid (child, &status, 0);
  printf ("unshare %s, child is init: %d\n", ret ? "refused" : "done", WEXITSTATUS (status));
  return 0;
}
