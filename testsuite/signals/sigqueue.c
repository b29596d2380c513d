/* Real-time signals queue with their values and come in order.  */
/* test: same-output */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int n, got[16];

static void
handle (int sig, siginfo_t *info, void *context)
{
  (void) context;
  got[n++] = (sig - SIGRTMIN) * 100 + info->si_value.sival_int;
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  sigset_t set;
  sigfillset (&sa.sa_mask);
  sigemptyset (&set);
  for (int i = 2; i >= 0; i--)
    {
      sigaction (SIGRTMIN + i, &sa, NULL);
      sigaddset (&set, SIGRTMIN + i);
    }
  sigprocmask (SIG_BLOCK, &set, NULL);
  for (int i = 0; i < 9; i++)
    sigqueue (getpid (), SIGRTMIN + 2 - i % 3, (union sigval){ .sival_int = i });
  sigprocmask (SIG_UNBLOCK, &set, NULL);
  for (int i = 0; i < n; i++)
    printf ("%d ", got[i]);
  puts ("");
  return 0;
}
