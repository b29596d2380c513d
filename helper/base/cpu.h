/* The one CPU that recorder, program and replay run on.

   A stop across CPUs costs four times as much as on one.  And the cpuid
   instruction, which cannot be trapped everywhere, tells a program which
   CPU it runs on (the APIC number; glibc keeps it), so a replay has to run
   where the recording did: both choose by a number that is in the
   recording, from the CPUs that they may use.  */

#ifndef RETRO_BASE_CPU_H
#define RETRO_BASE_CPU_H

#include <glib.h>
#include <sched.h>

/* The CPUs that this process was allowed when it first asked.  */
const cpu_set_t *cpu_allowed (void);
/* Stay on the CPU that CHOICE selects of those; so do children.  */
void cpu_pin (guint64 choice);

#endif
