/* Things to catch: calls, children, an exec, a signal.  */

/* build: -O0 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int handled;

static void
handler (int signo)
{
  handled += signo;
}

static void
children (void)
{
  pid_t pid = fork ();

  if (pid == 0)
    _exit (3);
  waitpid (pid, NULL, 0);
  pid = vfork ();
  if (pid == 0)
    _exit (4);
  waitpid (pid, NULL, 0);
}

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "again") == 0)
    {
      puts ("second life");
      return 5;
    }
  signal (SIGUSR1, handler);
  getppid ();
  raise (SIGUSR1);
  children ();
  getppid ();
  if (argc > 1)
    execl (argv[1], argv[1], "again", NULL);
  return handled != SIGUSR1;
}
