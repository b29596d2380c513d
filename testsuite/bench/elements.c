/* URDB's comparison: a list of N elements with memory of its own, no malloc:
   purely CPU-bound, and short natively.  elements [N]  */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct element
{
  struct element *next;
  long value;
};

static struct element *pool;
static struct element *list;

static void
insert (long value)
{
  struct element *e = pool++;
  e->value = value;
  e->next = list;
  list = e;
}

static int
check (long n)
{
  long sum = 0;

  for (struct element *e = list; e; e = e->next)
    sum += e->value;
  return sum == n * (n - 1) / 2 ? 0 : 1;
}

int
main (int argc, char **argv)
{
  long n = argc > 1 ? atol (argv[1]) : 1000000;

  pool = mmap (NULL, (size_t) n * sizeof *pool, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pool == MAP_FAILED)
    return 1;
  for (long i = 0; i < n; i++)
    insert (i);
  return check (n);
}
