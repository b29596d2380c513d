/* A thread waits in the kernel, another kills the process from outside:
   a child sends the signal.  */
/* test: threads signal=3 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *
wait_for_ever (void *arg)
{
  for (;;)
    pause ();
  return arg;
}

int
main (void)
{
  pthread_t t;
  pthread_create (&t, NULL, wait_for_ever, NULL);
  pid_t parent = getpid ();
  if (fork () == 0)
    {
      kill (parent, SIGQUIT);
      _exit (0);
    }
  pthread_join (t, NULL);
  return 0;
}
