/* Instructions whose result depends on the machine and that the kernel can
   make trap (as SIGSEGV): rdtsc, rdtscp and, where the CPU can, cpuid.

   The recorder answers them and the answers are in the log, as are those of
   system calls.  A program is told of no instruction whose result cannot
   be known (rdrand, rdseed, rdpid) or that ends in different ways (memory
   transactions), nor of what a replay could not set up again (AMX).

   The trap of rdtsc lives through exec, that of cpuid does not; both are
   inherited by threads and children.  */

#ifndef RETRO_TRACE_TRAPPED_H
#define RETRO_TRACE_TRAPPED_H

#include "trace/task.h"

typedef enum
{
  TRAPPED_NOT,
  TRAPPED_TSC,
  TRAPPED_CPUID
} Trapped;

/* Does this machine trap cpuid?  */
gboolean trapped_has_cpuid (void);

/* Make the instructions trap in TASK (by injected calls), or no longer;
   cpuid only if CPUID.  */
gboolean trapped_set (Task *task, gboolean trap, gboolean cpuid, GError **error);
/* For this very thread, without errors.  */
void trapped_set_own (gboolean cpuid);

/* What the instruction at PC is.  */
Trapped trapped_at (const Task *task, Addr pc);
/* Do what the instruction at REGS->rip does here and now; FALSE if it is
   none of ours.  */
gboolean trapped_perform (const Task *task, Regs *regs);

#endif
