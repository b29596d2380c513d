/* A threaded program forks; atfork handlers run on both sides.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int prepared, in_parent, in_child;
static volatile unsigned long work;
static volatile int stop;

static void
prepare (void)
{
  prepared++;
}

static void
after_in_parent (void)
{
  in_parent++;
}

static void
after_in_child (void)
{
  in_child++;
}

static void *
compute (void *arg)
{
  while (!stop)
    work++;
  return arg;
}

int
main (void)
{
  pthread_t t;
  int status, sum = 0;
  pthread_atfork (prepare, after_in_parent, after_in_child);
  pthread_create (&t, NULL, compute, NULL);
  for (int i = 0; i < 5; i++)
    {
      pid_t child = fork ();
      if (child == 0)
        _exit (in_child * 10 + i);
      assert (waitpid (child, &status, 0) == child);
      sum += WEXITSTATUS (status);
    }
  stop = 1;
  pthread_join (t, NULL);
  printf ("%d %d %d %d\n", prepared, in_parent, in_child, sum);
  return 0;
}
