/* URDB's program: twenty numbers go into a list, by one call each.  */

#include <stdlib.h>

struct element
{
  struct element *next;
  int value;
};

static struct element *list;

static void
insert (int value)
{
  struct element *e = malloc (sizeof *e);
  if (e)
    {
      e->value = value;
      e->next = list;
      list = e;
    }
}

static int
done (void)
{
  return list->value;
}

int
main (void)
{
  for (int i = 0; i < 20; i++)
    insert (i);
  return done () != 19;
}
