/* Signals sent by another process, into calls and into computation.  */
#include <assert.h>
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
      assert (read (fds[0], &c, 1) == 1);
      for (int i = 0; i < 20; i++)
        {
          kill (parent, SIGUSR1);
          usleep (1000);
        }
      _exit (0);
    }
  assert (write (fds[1], "x", 1) == 1);
  while (count < 10)
    work++;
  waitpid (child, NULL, 0);
  printf ("%d signals, %d from the child, %lu\n", count, sender_ok, work);
  return 0;
}
