/* SIGCHLD: told of exit, stop and continuation of children.  */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int codes[16], n;

static void
handle (int sig, siginfo_t *info, void *context)
{
  (void) sig;
  (void) context;
  if (n < 16)
    codes[n++] = info->si_code * 100 + info->si_status;
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART };
  int status;
  sigaction (SIGCHLD, &sa, NULL);
  for (int i = 0; i < 3; i++)
    if (fork () == 0)
      _exit (i + 10);
  for (int i = 0; i < 3; i++)
    assert (wait (&status) > 0 && WIFEXITED (status));
  pid_t child = fork ();
  if (child == 0)
    {
      raise (SIGSTOP);
      _exit (20);
    }
  assert (waitpid (child, &status, WUNTRACED) == child && WIFSTOPPED (status));
  kill (child, SIGCONT);
  assert (waitpid (child, &status, 0) == child && WEXITSTATUS (status) == 20);
  assert (wait (&status) == -1 && errno == ECHILD);
  for (int i = 0; i < n; i++)
    printf ("%d ", codes[i]);
  puts ("");
  return 0;
}
