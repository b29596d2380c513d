/* Code that translation puts in front of instructions: the check of a
   block's own source, and hooks (see hooks.h).  */

#ifndef RETRO_TICKS_INSTRUMENT_H
#define RETRO_TICKS_INSTRUMENT_H

#include "ticks/builder.h"
#include "ticks/hooks.h"

/* Leave (EXIT_STALE) unless memory at the block's pc still holds BYTES.  */
void instrument_guard (Builder *b, const guint8 *bytes, gsize length);
/* The hooks, if any, for the instruction at PC.  */
void instrument_hooks (Builder *b, const Hooks *hooks, Addr pc);

#endif
