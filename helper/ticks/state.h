/* The page through which translated code and helper talk.

   It lies at ARENA_STATE, private to each task, within reach of a
   pc-relative operand from everywhere in the cache.  Translated code keeps
   here what it must not keep in registers, flags or the program's stack:

     +0    ticks_left   counts down; zero: leave before the next branch
     +8    rcx rax rdx  registers of the program while their own sequences
                        are under way (see unwind.h for when)
     +32   scratch      likewise, for pc-relative operands
     +48   point...     what the search for a point compares with
     +..   slots        one counter for each instrumented address
     +..   xstate       what an xsave in translated code writes

   The helper writes it, but for xstate, before a run and reads it back
   after.  */

#ifndef RETRO_TICKS_STATE_H
#define RETRO_TICKS_STATE_H

#include "log/event.h"

#include <stddef.h>

#define STATE_SLOTS 4096
#define STATE_XSTATE 4096

typedef struct
{
  guint64 ticks_left;
  guint64 rcx, rax, rdx, scratch;
  guint64 zero;
  /* See pointhook.h.  */
  guint64 point_filter;
  guint64 point_sum;
  Addr point_words[POINT_WORDS];
  guint64 xstate_mask, xstate_sum;
  Addr xstate_words[POINT_WORDS];
  guint64 slots[STATE_SLOTS];
  guint8 xstate[STATE_XSTATE] __attribute__ ((aligned (64)));
} State;

G_STATIC_ASSERT (sizeof (State) <= ARENA_STATE_SIZE);

#define STATE_ADDR(field) (ARENA_STATE + offsetof (State, field))
#define STATE_HEAD offsetof (State, slots)

/* Which registers of the program are in the page instead of the CPU.  */
enum
{
  SPILL_RCX = 1,
  SPILL_RAX = 2,
  SPILL_RDX = 4,
  SPILL_SCRATCH = 8
};

#endif
