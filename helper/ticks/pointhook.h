/* The hook that looks for a point: code in front of the instruction there.

   In three steps, each only if the one before agrees:

     filter   a few registers that the code around changes, or a word
     sum      all general registers and the point's words of memory
     xstate   the point's words of extended state, after an xsave

   and if all agree, leave (EXIT_POINT); the helper then compares the rest.
   Values are summed up with weights, and the sums compared with numbers in
   the state page; a sum that agrees by chance costs an exit, no more.

   Where the instruction is a repeated string instruction the point may lie
   between its iterations: there is no filter then, and rcx, rsi, rdi and
   the words are left out of the sum.  */

#ifndef RETRO_TICKS_POINTHOOK_H
#define RETRO_TICKS_POINTHOOK_H

#include "ticks/builder.h"
#include "trace/task.h"

/* What its code depends on.  */
typedef struct
{
  gboolean used;
  gboolean rep;
  Addr pc;
  guint n_filter;
  guint8 filter[3]; /* general registers  */
  gint vector;      /* and the low part of this vector register, or -1  */
  gboolean word;    /* instead of those the first word of memory  */
  guint n_memory, n_xstate;
} PointHook;

/* What is wanted for POINT; REP: it is at a repeated string instruction.  */
PointHook pointhook_choose (const PointId *point, const Task *task, gboolean rep);
/* Fill in the numbers of STATE that HOOK compares with.  */
void pointhook_load (const PointHook *hook, const PointId *point, State *state);
/* The code.  */
void pointhook_emit (const PointHook *hook, Builder *b);

#endif
