/* A lock-free stack by compare-and-swap.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct node
{
  struct node *next;
  int value;
};

static _Atomic (struct node *) top;
static unsigned long failures;

static void *
push (void *arg)
{
  for (int i = 0; i < 20000; i++)
    {
      struct node *n = malloc (sizeof *n);
      n->value = (int) (long) arg;
      n->next = atomic_load (&top);
      while (!atomic_compare_exchange_weak (&top, &n->next, n))
        failures++;
    }
  return NULL;
}

int
main (void)
{
  pthread_t t[3];
  unsigned long hash = 0;
  int n = 0;
  for (long i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, push, (void *) (i + 1));
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  for (struct node *p = top; p; p = p->next, n++)
    hash = hash * 31 + (unsigned long) p->value;
  assert (n == 60000);
  printf ("%lx %lu\n", hash, failures);
  return 0;
}
