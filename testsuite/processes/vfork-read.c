/* A read of another thread ends while a vfork child borrows the memory and
   writes to the same page: both stores stay.  */
/* test: threads same-output */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct
{
  volatile int stored;
  char buffer[8];
} page __attribute__ ((aligned (4096)));

static int fds[2];

static void *
wait_for_bytes (void *arg)
{
  assert (read (fds[0], page.buffer, sizeof page.buffer) == 5);
  return arg;
}

int
main (void)
{
  pthread_t thread;
  int status, left;

  assert (pipe (fds) == 0);
  pthread_create (&thread, NULL, wait_for_bytes, NULL);
  sched_yield ();
  pid_t child = vfork ();
  if (child == 0)
    {
      page.stored = 42;
      if (write (fds[1], "bytes", 5) != 5)
        _exit (1);
      /* The kernel has given them to the reader?  (In a run in which it does
         not read yet, they stay.)  */
      for (int i = 0; i < 100; i++)
        {
          sched_yield ();
          if (ioctl (fds[0], FIONREAD, &left) != 0 || left == 0)
            break;
        }
      _exit (3);
    }
  assert (waitpid (child, &status, 0) == child);
  pthread_join (thread, NULL);
  printf ("%d, %d, %s\n", WEXITSTATUS (status), page.stored, page.buffer);
  return 0;
}
