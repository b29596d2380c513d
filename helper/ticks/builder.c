/* A block under construction: see builder.h.  */

#include "ticks/builder.h"

typedef struct
{
  Exit exit;
  PlaceKind place_kind;
  guint8 *place;
} PendingExit;

typedef struct
{
  guint64 value;
  guint8 *place; /* of the displacement that reaches it  */
} PendingConstant;

void
builder_init (Builder *b, Cache *cache, Addr pc)
{
  b->cache = cache;
  b->pc = pc;
  b->e.base = cache->base;
  b->start = b->e.p = cache->base + cache->used;
  b->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  b->exits = g_array_new (FALSE, FALSE, sizeof (PendingExit));
  b->constants = g_array_new (FALSE, FALSE, sizeof (PendingConstant));
}

void
builder_row (Builder *b, Addr pc, guint spilled, guint flags)
{
  Row row = { .offset = (guint16) (b->e.p - b->start),
              .pc = (guint16) (pc - b->pc),
              .spilled = (guint8) spilled,
              .flags = (guint8) flags };

  g_array_append_val (b->rows, row);
}

void
builder_row_scratch (Builder *b, Addr pc, int reg)
{
  builder_row (b, pc, SPILL_SCRATCH, 0);
  g_array_index (b->rows, Row, b->rows->len - 1).scratch = (guint8) reg;
}

void
builder_exit (Builder *b, ExitKind kind, Addr pc, guint spilled, PlaceKind place_kind, guint8 *place)
{
  PendingExit pending = { .exit = { .kind = kind, .pc = pc, .spilled = (guint8) spilled },
                          .place_kind = place_kind,
                          .place = place };

  if (place_kind == PLACE_HERE)
    {
      pending.exit.at = builder_offset (b);
      emit_byte (&b->e, OP_INT3);
    }
  g_array_append_val (b->exits, pending);
}

void
builder_push (Builder *b, guint64 value)
{
  PendingConstant constant = { .value = value };

  if (value < 0x80000000)
    {
      emit_byte (&b->e, 0x68);
      emit_u32 (&b->e, (guint32) value);
      return;
    }
  emit_byte (&b->e, 0xff);
  emit_byte (&b->e, 0x35);
  constant.place = b->e.p;
  emit_u32 (&b->e, 0);
  g_array_append_val (b->constants, constant);
}

static void
place_exit (Builder *b, PendingExit *pending)
{
  pending->exit.at = builder_offset (b);
  if (pending->place_kind == PLACE_SHORT)
    emit_short_here (&b->e, pending->place);
  else
    {
      pending->exit.patch = (guint32) (pending->place - b->e.base);
      emit_patch (pending->place, emit_addr (&b->e, pending->place), emit_addr (&b->e, b->e.p));
    }
  emit_byte (&b->e, OP_INT3);
}

Block *
builder_finish (Builder *b, guint32 source_length)
{
  Block *block = g_new0 (Block, 1);

  block->pc = b->pc;
  block->source_length = source_length;
  block->n_exits = b->exits->len;
  block->exits = g_new (Exit, block->n_exits);
  /* Those with short displacements first.  */
  for (guint i = 0; i < block->n_exits; i++)
    if (g_array_index (b->exits, PendingExit, i).place_kind == PLACE_SHORT)
      place_exit (b, &g_array_index (b->exits, PendingExit, i));
  for (guint i = 0; i < block->n_exits; i++)
    {
      PendingExit *pending = &g_array_index (b->exits, PendingExit, i);

      if (pending->place_kind == PLACE_NEAR)
        place_exit (b, pending);
      block->exits[i] = pending->exit;
    }
  for (guint i = 0; i < b->constants->len; i++)
    {
      const PendingConstant *constant = &g_array_index (b->constants, PendingConstant, i);

      emit_patch (constant->place, emit_addr (&b->e, constant->place), emit_addr (&b->e, b->e.p));
      emit_u64 (&b->e, constant->value);
    }
  block->start = (guint32) (b->start - b->e.base);
  block->size = (guint32) (b->e.p - b->start);
  g_assert (block->size < CACHE_BLOCK_MAX);
  b->cache->used += block->size;
  block->n_rows = b->rows->len;
  block->rows = (Row *) (gpointer) g_array_free (b->rows, FALSE);
  g_array_free (b->exits, TRUE);
  g_array_free (b->constants, TRUE);
  return block;
}
