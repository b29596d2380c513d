/* A list without a lock: nodes pushed at the same time are lost.  */
/* test: threads */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node
{
  struct node *next;
};

static struct node *volatile head;

static void *
push (void *arg)
{
  for (int i = 0; i < 100000; i++)
    {
      struct node *n = malloc (sizeof *n);
      n->next = head;
      head = n;
    }
  return arg;
}

int
main (void)
{
  pthread_t t[4];
  long n = 0;
  for (int i = 0; i < 4; i++)
    pthread_create (&t[i], NULL, push, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join (t[i], NULL);
  for (struct node *p = head; p; p = p->next)
    n++;
  printf ("%ld of 400000\n", n);
  return 0;
}
