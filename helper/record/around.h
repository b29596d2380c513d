/* The code around a pc: what a loop there uses, and what it changes.

   A place in a loop that turns thousands of times a millisecond is told
   from the same place one turn later by whatever the loop changes.  This is
   found by reading the code: the instructions that can be reached from the
   pc, inner loops before what is around them.  Guesses, all of it: what is
   missed makes finding a point again slower, never wrong.  */

#ifndef RETRO_RECORD_AROUND_H
#define RETRO_RECORD_AROUND_H

#include "log/event.h"
#include "trace/task.h"

/* Fill in the words of POINT, whose regs are those of TASK: memory that the
   code names, outside of shared mappings, and the parts of XSTATE that it
   writes.  */
void around_find_words (PointId *point, const Task *task, const Space *space, GBytes *xstate);

/* General registers (bit N is register N in the hardware's order) that the
   code at REGS->rip writes: those that it changes, such as by inc, if there are
   any.  */
guint32 around_written (const Task *task, const Regs *regs);

#endif
