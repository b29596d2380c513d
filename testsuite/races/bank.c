/* Atomicity violation: check and withdrawal are two locked sections.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 500, overdrawn;

static int
get_balance (void)
{
  pthread_mutex_lock (&lock);
  int b = balance;
  pthread_mutex_unlock (&lock);
  return b;
}

static void *
withdraw (void *arg)
{
  for (int i = 0; i < 400; i++)
    {
      if (get_balance () < 1)
        break;
      pthread_mutex_lock (&lock);
      balance--;
      overdrawn += balance < 0;
      pthread_mutex_unlock (&lock);
    }
  return arg;
}

int
main (void)
{
  pthread_t t[4];
  for (int i = 0; i < 4; i++)
    pthread_create (&t[i], NULL, withdraw, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join (t[i], NULL);
  printf ("%d, overdrawn %d times\n", balance, overdrawn);
  return 0;
}
