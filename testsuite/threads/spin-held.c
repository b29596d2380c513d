/* The holder of a spin lock sleeps in the kernel while others spin: only
   preemption of the spinners lets it go on.  */
/* test: threads same-output */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_spinlock_t lock;
static int inside;

static void *
work (void *arg)
{
  struct timespec moment = { 0, 1000000 };
  (void) arg;
  for (int i = 0; i < 2; i++)
    {
      pthread_spin_lock (&lock);
      inside++;
      nanosleep (&moment, NULL);
      inside++;
      pthread_spin_unlock (&lock);
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[2];
  pthread_spin_init (&lock, 0);
  for (int i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], NULL);
  printf ("%d\n", inside);
  return 0;
}
