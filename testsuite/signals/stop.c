/* The program stops itself; a child continues it.  */
/* test: same-output */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int continued;

static void
handle (int sig)
{
  (void) sig;
  continued++;
}

int
main (void)
{
  pid_t parent = getpid ();
  signal (SIGCONT, handle);
  pid_t child = fork ();
  if (child == 0)
    {
      for (int i = 0; i < 20; i++)
        {
          usleep (5000);
          kill (parent, SIGCONT);
        }
      _exit (0);
    }
  raise (SIGSTOP);
  puts ("and on");
  while (waitpid (child, NULL, 0) == -1)
    ;
  printf ("%d\n", continued > 0);
  return 0;
}
