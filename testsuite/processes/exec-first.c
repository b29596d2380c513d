/* The first thread execs while others compute and wait.  */
/* test: threads exit=8 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile unsigned long work;

static void *
compute (void *arg)
{
  for (;;)
    work++;
  return arg;
}

int
main (int argc, char **argv)
{
  pthread_t t;
  if (argc > 1)
    {
      printf ("%s\n", argv[1]);
      return 8;
    }
  for (int i = 0; i < 3; i++)
    pthread_create (&t, NULL, compute, NULL);
  while (work < 1000)
    sched_yield ();
  execl ("/proc/self/exe", "again", "exec'd", (char *) NULL);
  return 1;
}
