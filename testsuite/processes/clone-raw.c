/* Raw clones that are processes: with and without shared files, a stack
   of its own, a parent's tid word, clone3.  */
#include <assert.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int
body (void *arg)
{
  return *(int *) arg;
}

int
main (void)
{
  static char stack[65536] __attribute__ ((aligned (16)));
  int status, code = 12, tid = 0;
  pid_t pid = clone (body, stack + sizeof stack, SIGCHLD | CLONE_PARENT_SETTID, &code, &tid);
  assert (pid > 0 && tid == pid && waitpid (pid, &status, 0) == pid);
  printf ("clone: %d\n", WEXITSTATUS (status));
  pid = clone (body, stack + sizeof stack, SIGCHLD | CLONE_FILES | CLONE_FS, &code);
  assert (pid > 0 && waitpid (pid, &status, 0) == pid);
  struct clone_args args;
  int pidfd = -1;
  memset (&args, 0, sizeof args);
  args.flags = CLONE_PIDFD;
  args.pidfd = (unsigned long) &pidfd;
  args.exit_signal = SIGCHLD;
  pid = (pid_t) syscall (SYS_clone3, &args, sizeof args);
  if (pid == 0)
    _exit (13);
  if (pid > 0)
    {
      assert (waitpid (pid, &status, 0) == pid);
      printf ("clone3: %d, %d\n", WEXITSTATUS (status), pidfd >= 0);
    }
  return 0;
}
