/* One instruction of the program, executed in place by a single step.

   The building block of the oracle (ticks_step_run), and what the
   translator falls back to for anything it cannot translate.  */

#ifndef RETRO_TICKS_STEP_H
#define RETRO_TICKS_STEP_H

#include "ticks/ticks.h"

typedef enum
{
  STEP_DONE,        /* executed; REGS are the new ones  */
  STEP_REP,         /* one iteration of a string instruction, which goes on  */
  STEP_STOP,        /* RESULT says: FAULT, WATCH, SYSCALL, TSC; REGS are current  */
  STEP_INTERRUPTED, /* nothing was executed  */
  STEP_ERROR
} Step;

/* Execute the instruction at REGS->rip; the task's registers must be REGS.
   Adds to RESULT->ticks.  */
Step step_one (Task *task, const TicksRequest *request, Regs *regs, TicksResult *result, GError **error);

/* The debug registers of a request.  */
gboolean step_set_watches (Task *task, const TicksRequest *request, GError **error);
gboolean step_clear_watches (Task *task, const TicksRequest *request, GError **error);
/* Has a watch triggered since the last question?  Its index in *HIT_RET.  */
gboolean step_watch_hit (Task *task, const TicksRequest *request, gsize *hit_ret);

#endif
