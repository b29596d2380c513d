/* Signals sent by another process, into calls and into computation.  */
#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int count, sender_ok;
static pid_t child;

static void
handle (int sig, siginfo_t *info, void *context)
{
  (void) sig;
  (void) context;
  count++;
  sender_ok += info->si_pid == child;
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART };
  unsigned long work = 0;
  int fds[2];
  char c;
  sigaction (SIGUSR1, &sa, NULL);
  assert (pipe (fds) == 0);
  pid_t parent = getpid ();
  child = fork ();
  if (child == 0)
    {
      struct pollfd enough = { fds[0], POLLIN, 0 };
      assert (read (fds[0], &c, 1) == 1);
      do
        kill (parent, SIGUSR1);
      while (poll (&enough, 1, 1) == 0);
      _exit (0);
    }
  assert (write (fds[1], "x", 1) == 1);
  while (count < 10)
    work++;
  assert (write (fds[1], "y", 1) == 1);
  waitpid (child, NULL, 0);
  printf ("%d signals, %d from the child, %lu\n", count, sender_ok, work);
  return 0;
}
