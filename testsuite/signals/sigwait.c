/* sigwait and sigwaitinfo in a thread made for it.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sigset_t set;

static void *
wait_for_signals (void *arg)
{
  int sig;
  siginfo_t info;
  for (int i = 0; i < 4; i++)
    if (i % 2)
      {
        assert (sigwait (&set, &sig) == 0);
        printf ("%d\n", sig);
      }
    else
      {
        assert (sigwaitinfo (&set, &info) > 0);
        printf ("%d from self: %d\n", info.si_signo, info.si_pid == getpid ());
      }
  return arg;
}

int
main (void)
{
  pthread_t t;
  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  sigaddset (&set, SIGUSR2);
  sigaddset (&set, SIGRTMIN);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  pthread_create (&t, NULL, wait_for_signals, NULL);
  kill (getpid (), SIGUSR1);
  kill (getpid (), SIGUSR2);
  kill (getpid (), SIGRTMIN);
  kill (getpid (), SIGRTMIN);
  pthread_join (t, NULL);
  return 0;
}
