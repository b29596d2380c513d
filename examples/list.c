/* A long list and a few insertions: going back over one of them must not
   cost what building the list did.

     list [N]      N elements (default 1,000,000), then twenty insertions

   After the list is built, each insertion puts an element in order after a
   search; stop in insert_sorted and go backwards.  */

#include <stdio.h>
#include <stdlib.h>

struct element
{
  struct element *next;
  long value;
};

static struct element *list;
static long length;

static struct element *
element_new (long value, struct element *next)
{
  struct element *e = malloc (sizeof *e);
  if (!e)
    abort ();
  e->value = value;
  e->next = next;
  return e;
}

/* The even numbers from 0 on, built from the end.  */
static void
build (long n)
{
  for (long i = n - 1; i >= 0; i--)
    {
      list = element_new (2 * i, list);
      length++;
    }
}

static void
insert_sorted (long value)
{
  struct element **link = &list;
  while (*link && (*link)->value < value)
    link = &(*link)->next;
  *link = element_new (value, *link);
  length++;
}

static long
sum_list (void)
{
  long sum = 0;
  for (struct element *e = list; e; e = e->next)
    sum += e->value;
  return sum;
}

int
main (int argc, char **argv)
{
  long n = argc > 1 ? atol (argv[1]) : 1000000;
  if (n < 20)
    {
      fprintf (stderr, "usage: list [N], N at least 20\n");
      return 2;
    }
  build (n);
  printf ("built %ld\n", length);
  for (long i = 1; i <= 20; i++)
    {
      insert_sorted (2 * n / 21 * i | 1);
      printf ("%ld elements\n", length);
    }
  printf ("sum %ld\n", sum_list ());
  return 0;
}
