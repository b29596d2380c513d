/* See cpu.h.  */

#include "base/cpu.h"

const cpu_set_t *
cpu_allowed (void)
{
  static cpu_set_t set;
  static gboolean known;

  if (!known && sched_getaffinity (0, sizeof set, &set) != 0)
    CPU_ZERO (&set);
  known = TRUE;
  return &set;
}

void
cpu_pin (guint64 choice)
{
  const cpu_set_t *allowed = cpu_allowed ();
  int count = CPU_COUNT (allowed), left;
  cpu_set_t one;

  if (count == 0)
    return;
  left = (int) (choice % (guint64) count);
  CPU_ZERO (&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET (cpu, allowed) && left-- == 0)
      CPU_SET (cpu, &one);
  sched_setaffinity (0, sizeof one, &one);
}
