/* Which CPU: getcpu, sched_getcpu, affinity, sysconf, /proc.  */
#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int
main (void)
{
  unsigned cpu, node;
  cpu_set_t set;
  assert (getcpu (&cpu, &node) == 0);
  assert (sched_getaffinity (0, sizeof set, &set) == 0);
  printf ("cpu %u node %u, %d, %d allowed, %ld online, %ld configured\n", cpu, node,
          sched_getcpu () >= 0, CPU_COUNT (&set), sysconf (_SC_NPROCESSORS_ONLN),
          sysconf (_SC_NPROCESSORS_CONF));
  CPU_ZERO (&set);
  CPU_SET (cpu, &set);
  printf ("%d\n", sched_setaffinity (0, sizeof set, &set));
  return 0;
}
