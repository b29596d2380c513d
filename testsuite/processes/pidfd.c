/* pidfd_open, polling it, waitid by it, pidfd_send_signal.  */
/* test: same-output */
#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  siginfo_t info;
  pid_t child = fork ();
  if (child == 0)
    for (;;)
      pause ();
  int fd = (int) syscall (SYS_pidfd_open, child, 0);
  assert (fd >= 0);
  struct pollfd p = { .fd = fd, .events = POLLIN };
  printf ("%d", poll (&p, 1, 0));
  assert (syscall (SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) == 0);
  printf (" %d", poll (&p, 1, -1));
  assert (waitid (3 /* P_PIDFD */, (id_t) fd, &info, WEXITED) == 0);
  printf (" %d\n", info.si_status);
  return 0;
}
