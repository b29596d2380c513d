/* All progress is in a heap object reached through pointers.  */
/* build: -O0 */
/* test: threads */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct state
{
  struct state *next;
  unsigned long steps;
};

static struct state *
make_ring (int n)
{
  struct state *first = calloc (1, sizeof *first), *last = first;
  while (--n)
    {
      struct state *s = calloc (1, sizeof *s);
      last->next = s;
      last = s;
    }
  last->next = first;
  return first;
}

static struct state *ring[2];

static void *
run (void *arg)
{
  struct state **r = arg;
  while ((*r)->steps < 3000000)
    {
      (*r)->steps++;
      *r = (*r)->next;
    }
  return (void *) ring[r == &ring[0]]->steps;
}

int
main (void)
{
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    ring[i] = make_ring (5);
  for (int i = 0; i < 2; i++)
    pthread_create (&t[i], NULL, run, &ring[i]);
  for (int i = 0; i < 2; i++)
    {
      void *ret;
      pthread_join (t[i], &ret);
      printf ("%lu\n", (unsigned long) ret);
    }
  return 0;
}
