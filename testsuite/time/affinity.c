/* sched_getaffinity answers as it would without a recorder.  */
/* test: same-output */
#include <sched.h>
#include <stdio.h>
#include <string.h>

int
main (void)
{
  cpu_set_t set, one;
  int first = 0;
  CPU_ZERO (&set);
  printf ("%d", sched_getaffinity (0, sizeof set, &set));
  printf (" %d CPUs\n", CPU_COUNT (&set));
  while (!CPU_ISSET (first, &set))
    first++;
  CPU_ZERO (&one);
  CPU_SET (first, &one);
  printf ("%d", sched_setaffinity (0, sizeof one, &one));
  memset (&set, 0, sizeof set);
  printf (" %d", sched_getaffinity (0, sizeof set, &set));
  printf (" %d\n", CPU_EQUAL (&set, &one));
  return 0;
}
