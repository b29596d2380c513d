/* process_vm_readv and writev on the program itself and on a child.  */
/* test: same-output */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  static char from[] = "some text", to[16];
  struct iovec local = { to, 9 }, remote = { from, 9 };
  ssize_t n = process_vm_readv (getpid (), &local, 1, &remote, 1, 0);
  printf ("%zd %s\n", n, to);
  pid_t child = fork ();
  if (child == 0)
    for (;;)
      pause ();
  from[0] = 'S';
  n = process_vm_readv (child, &local, 1, &remote, 1, 0);
  printf ("%zd %s\n", n, to);
  local.iov_base = from;
  remote.iov_base = to;
  n = process_vm_writev (getpid (), &local, 1, &remote, 1, 0);
  printf ("%zd %s\n", n, to);
  kill (child, SIGKILL);
  wait (NULL);
  return 0;
}
