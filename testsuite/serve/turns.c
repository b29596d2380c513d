/* Two threads that take turns whenever they may: each call of `turn' gives
   the others a chance.  */

/* build: -O0 */

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static volatile int theirs, mine, stop;

static void *
other (void *unused)
{
  pthread_setname_np (pthread_self (), "the other");
  while (!stop)
    {
      theirs++;
      sched_yield ();
    }
  return unused;
}

static void
turn (void)
{
  mine++;
  for (int i = 0; i < 50; i++)
    sched_yield ();
}

int
main (void)
{
  pthread_t thread;

  pthread_create (&thread, NULL, other, NULL);
  turn ();
  turn ();
  turn ();
  turn ();
  stop = 1;
  pthread_join (thread, NULL);
  return 0;
}
