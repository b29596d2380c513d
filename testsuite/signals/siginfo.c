/* SA_SIGINFO: what the handler is told about sender and context.  */
/* test: same-output */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int got_code, got_self, context_ok;

static void
handle (int sig, siginfo_t *info, void *context)
{
  ucontext_t *uc = context;
  got_code = info->si_code;
  got_self = info->si_pid == getpid () && info->si_uid == getuid () && info->si_signo == sig;
  context_ok = uc->uc_mcontext.gregs[REG_RIP] != 0 && uc->uc_mcontext.gregs[REG_RSP] != 0;
}

int
main (void)
{
  struct sigaction sa = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  assert (sigaction (SIGUSR1, &sa, NULL) == 0);
  kill (getpid (), SIGUSR1);
  printf ("kill: code %d, self %d, context %d\n", got_code, got_self, context_ok);
  raise (SIGUSR1);
  printf ("raise: code %d, self %d\n", got_code, got_self);
  return 0;
}
