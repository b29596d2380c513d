/* A second thread execs: the others vanish, its tid becomes the pid.  */
/* test: threads exit=8 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile unsigned long work;

static void *
exec_self (void *arg)
{
  while (work < 1000)
    sched_yield ();
  execl ("/proc/self/exe", "again", "second", (char *) NULL);
  return arg;
}

static void *
wait_for_ever (void *arg)
{
  for (;;)
    pause ();
  return arg;
}

int
main (int argc, char **argv)
{
  pthread_t t;
  printf ("%s: %d\n", argc > 1 ? argv[1] : "first", getpid () == gettid ());
  fflush (stdout);
  if (argc > 1)
    return 8;
  pthread_create (&t, NULL, wait_for_ever, NULL);
  pthread_create (&t, NULL, exec_self, NULL);
  for (;;)
    work++;
}
