/* prctl: names, death signal, dumpable, no new privileges, subreaper.  */
/* test: same-output */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  char name[16] = "";
  int value = 0;
  assert (prctl (PR_SET_NAME, "renamed") == 0 && prctl (PR_GET_NAME, name) == 0);
  puts (name);
  assert (prctl (PR_SET_PDEATHSIG, SIGTERM) == 0 && prctl (PR_GET_PDEATHSIG, &value) == 0);
  printf ("death signal %d\n", value);
  prctl (PR_SET_PDEATHSIG, 0);
  printf ("dumpable %d\n", prctl (PR_GET_DUMPABLE));
  assert (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  printf ("no new privileges %d\n", prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  assert (prctl (PR_SET_CHILD_SUBREAPER, 1) == 0);
  if (fork () == 0)
    {
      if (fork () == 0)
        _exit (9);
      _exit (1);
    }
  int sum = 0;
  for (int i = 0; i < 2; i++)
    {
      wait (&value);
      sum += WEXITSTATUS (value);
    }
  printf ("reaped %d\n", sum);
  return 0;
}
