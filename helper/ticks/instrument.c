/* Guards and hooks: see instrument.h.

   Comparing without flags is adding the negative and jrcxz.  The memory
   that a point's words name may be gone when the hook looks; the fault
   that follows finds ROW_HOOK here and means "no match" (see unwind.c).  */

#include "ticks/instrument.h"

/* mov rcx, [address] with 1, 2, 4 or 8 bytes, zero extended.  */
static void
emit_read (Emit *e, Addr address, gsize size)
{
  emit_constant (e, GPR_RCX, address);
  switch (size)
    {
    case 8:
      emit_bytes (e, "\x48\x8b\x09", 3);
      break;
    case 4:
      emit_bytes (e, "\x8b\x09", 2);
      break;
    case 2:
      emit_bytes (e, "\x0f\xb7\x09", 3);
      break;
    default:
      emit_bytes (e, "\x0f\xb6\x09", 3);
      break;
    }
}

void
instrument_guard (Builder *b, const guint8 *bytes, gsize length)
{
  Emit *e = &b->e;

  builder_row (b, b->pc, 0, ROW_CLEAN | ROW_HOOK);
  emit_store (e, GPR_RCX, STATE_ADDR (rcx));
  emit_store (e, GPR_RAX, STATE_ADDR (rax));
  builder_row (b, b->pc, SPILL_RCX | SPILL_RAX, ROW_HOOK);
  for (gsize i = 0; i < length;)
    {
      gsize left = length - i, size = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
      guint64 value = 0;

      memcpy (&value, bytes + i, size);
      emit_read (e, b->pc + i, size);
      emit_constant (e, GPR_RAX, -value);
      emit_lea_index (e, GPR_RCX, GPR_RCX, GPR_RAX, 0);
      guint8 *equal = emit_short (e, OP_JRCXZ);
      guint8 *place = emit_jump (e, CACHE_MISS);
      builder_exit (b, EXIT_STALE, b->pc, SPILL_RCX | SPILL_RAX, PLACE_NEAR, place);
      emit_short_here (e, equal);
      i += size;
    }
  emit_load (e, GPR_RAX, STATE_ADDR (rax));
  emit_load (e, GPR_RCX, STATE_ADDR (rcx));
}

/* int3 that the short jump at PLACE leads to, out of the way.  */
static void
emit_exit_aside (Builder *b, ExitKind kind, Addr pc, guint spilled, guint8 *place)
{
  guint8 *over = emit_short (&b->e, OP_JMP_SHORT);

  emit_short_here (&b->e, place);
  builder_exit (b, kind, pc, spilled, PLACE_HERE, NULL);
  emit_short_here (&b->e, over);
}

/* rcx = 9 * rcx + REG  */
static void
emit_mix (Emit *e, int reg)
{
  emit_lea_index (e, GPR_RCX, GPR_RCX, GPR_RCX, 3);
  /* reg as index: rsp cannot be one, so it is the base.  */
  emit_lea_index (e, GPR_RCX, reg == GPR_RSP ? GPR_RSP : GPR_RCX, reg == GPR_RSP ? GPR_RCX : reg, 0);
}

/* See load_point in hooks.c.  */
static void
emit_point_hook (Builder *b, const Hook *hook, Addr pc)
{
  static const guint8 order[] = { 0, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, GPR_RSI, GPR_RDI };
  guint n = hook->rep ? G_N_ELEMENTS (order) - 2 : G_N_ELEMENTS (order);
  Emit *e = &b->e;

  builder_row (b, pc, 0, ROW_CLEAN | ROW_HOOK);
  emit_store (e, GPR_RCX, STATE_ADDR (rcx));
  builder_row (b, pc, SPILL_RCX, ROW_HOOK);
  emit_load (e, GPR_RCX, STATE_ADDR (slots) + 8 * hook->point_slot);
  emit_bytes (e, "\xe3\x05", 2); /* jrcxz: not armed  */
  guint8 *armed = emit_jump (e, CACHE_MISS);
  emit_patch (armed, emit_addr (e, armed), emit_addr (e, e->p) + 12);
  /* Here when not armed.  */
  emit_load (e, GPR_RCX, STATE_ADDR (rcx));
  guint8 *skip = emit_jump (e, CACHE_MISS);
  /* Here when armed.  */
  if (hook->rep)
    emit_constant (e, GPR_RCX, 0);
  else
    emit_load (e, GPR_RCX, STATE_ADDR (rcx));
  for (guint i = 0; i < n; i++)
    emit_mix (e, order[i]);
  emit_store (e, GPR_RAX, STATE_ADDR (rax));
  builder_row (b, pc, SPILL_RCX | SPILL_RAX, ROW_HOOK);
  for (guint i = 0; i < POINT_WORDS && !hook->rep; i++)
    {
      emit_load (e, GPR_RAX, STATE_ADDR (point_words) + 8 * i);
      emit_bytes (e, "\x48\x8b\x00", 3); /* mov rax, [rax]  */
      emit_mix (e, GPR_RAX);
    }
  emit_load (e, GPR_RAX, STATE_ADDR (point_sum));
  emit_lea_index (e, GPR_RCX, GPR_RCX, GPR_RAX, 0);
  emit_exit_aside (b, EXIT_POINT, pc, SPILL_RCX | SPILL_RAX, emit_short (e, OP_JRCXZ));
  emit_load (e, GPR_RAX, STATE_ADDR (rax));
  emit_load (e, GPR_RCX, STATE_ADDR (rcx));
  emit_patch (skip, emit_addr (e, skip), emit_addr (e, e->p));
}

static void
emit_break_hook (Builder *b, const Hook *hook, Addr pc)
{
  Addr slot = STATE_ADDR (slots) + 8 * hook->break_slot;
  Emit *e = &b->e;

  builder_row (b, pc, 0, ROW_CLEAN | ROW_HOOK);
  emit_store (e, GPR_RCX, STATE_ADDR (rcx));
  builder_row (b, pc, SPILL_RCX, ROW_HOOK);
  emit_load (e, GPR_RCX, slot);
  emit_add (e, GPR_RCX, -1);
  emit_store (e, GPR_RCX, slot);
  emit_exit_aside (b, EXIT_BREAK, pc, SPILL_RCX, emit_short (e, OP_JRCXZ));
  emit_load (e, GPR_RCX, STATE_ADDR (rcx));
}

void
instrument_hook (Builder *b, const Hook *hook, Addr pc)
{
  if (hook->point_slot != HOOK_NO_SLOT)
    emit_point_hook (b, hook, pc);
  if (hook->break_slot != HOOK_NO_SLOT)
    emit_break_hook (b, hook, pc);
}
