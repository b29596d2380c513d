/* A sleep, a poll and a futex wait, interrupted by a signal with a handler
   or without (stop and continue): restart_syscall and EINTR.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void
handle (int sig)
{
  (void) sig;
}

static pid_t
send_later (int sig, int more)
{
  pid_t parent = getpid (), child = fork ();
  if (child == 0)
    {
      struct timespec t = { 0, 5000000 };
      nanosleep (&t, NULL);
      kill (parent, sig);
      nanosleep (&t, NULL);
      if (more)
        kill (parent, more);
      _exit (0);
    }
  return child;
}

int
main (void)
{
  struct timespec t = { 0, 50000000 }, left;
  signal (SIGUSR1, handle);
  pid_t child = send_later (SIGUSR1, 0);
  int ret = nanosleep (&t, &left);
  printf ("sleep: %d %d\n", ret, ret && errno == EINTR && left.tv_nsec > 0);
  waitpid (child, NULL, 0);
  child = send_later (SIGSTOP, SIGCONT);
  printf ("sleep over a stop: %d\n", nanosleep (&t, NULL));
  waitpid (child, NULL, 0);
  child = send_later (SIGSTOP, SIGCONT);
  printf ("poll over a stop: %d\n", poll (NULL, 0, 50));
  waitpid (child, NULL, 0);
  child = send_later (SIGUSR1, 0);
  ret = poll (NULL, 0, 50);
  printf ("poll: %d %d\n", ret, ret && errno == EINTR);
  waitpid (child, NULL, 0);
  return 0;
}
