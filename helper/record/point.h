/* Points: how a place inside a stretch is described so that a replay
   finds it again.

   The recorder stops a thread at an arbitrary instruction (the end of its
   time slice, a signal) without having counted anything.  point_describe
   writes down what tells this moment from all others at the same pc:
   registers, extended state, the memory words that the code around the pc
   uses (a loop counter kept in memory), and one hash over the top of the
   stack, the globals and the memory that registers point to.

   The order of cost when a replay looks for it: pc, general registers,
   words (all three cheap enough to be checked inline by translated code),
   then xstate and the hash.  */

#ifndef RETRO_RECORD_POINT_H
#define RETRO_RECORD_POINT_H

#include "log/event.h"
#include "trace/task.h"

/* Describe where TASK is stopped.  Free with g_free.  */
PointId *point_describe (const Task *task, const Space *space, PointWhy why, GError **error);

/* Do the registers agree (rflags without TF and RF, orig_rax ignored)?  */
gboolean point_match_regs (const PointId *point, const Regs *regs);
/* Does everything agree?  Costs reads of memory.  */
gboolean point_match (const PointId *point, const Task *task, const Space *space, const Regs *regs);

/* The hash described above, for a task stopped with REGS.  */
guint32 point_memory_hash (const Task *task, const Space *space, const Regs *regs);

#endif
