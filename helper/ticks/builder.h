/* A block under construction: its code, rows and exits.  */

#ifndef RETRO_TICKS_BUILDER_H
#define RETRO_TICKS_BUILDER_H

#include "ticks/cache.h"
#include "ticks/emit.h"
#include "ticks/insn.h"
#include "ticks/state.h"

/* What leads to an exit whose int3 comes at the block's end.  */
typedef enum
{
  PLACE_HERE,  /* nothing: control falls into it  */
  PLACE_SHORT, /* an 8-bit displacement  */
  PLACE_NEAR   /* a 32-bit one  */
} PlaceKind;

typedef struct
{
  Emit e;
  Cache *cache;
  Addr pc;          /* of the block  */
  guint8 *start;
  GArray *rows;     /* of Row  */
  GArray *exits;    /* of PendingExit  */
  GArray *constants; /* of PendingConstant  */
} Builder;

void builder_init (Builder *b, Cache *cache, Addr pc);
/* From here on, the code does what belongs to PC.  */
void builder_row (Builder *b, Addr pc, guint spilled, guint flags);
void builder_row_scratch (Builder *b, Addr pc, int reg);
/* The jump whose displacement is at PLACE leads to such an exit.  */
void builder_exit (Builder *b, ExitKind kind, Addr pc, guint spilled, PlaceKind kind_of_place, guint8 *place);
/* push VALUE  */
void builder_push (Builder *b, guint64 value);
/* Emit the exits and constants; the finished block, not yet in the cache,
   with entry, arrived_entry, indirect and chain still to be filled in.  */
Block *builder_finish (Builder *b, guint32 source_length);

static inline guint32
builder_offset (const Builder *b)
{
  return (guint32) (b->e.p - b->e.base);
}

#endif
