/* Guards and hooks: see instrument.h.

   Comparing without flags is adding the negative and jrcxz.  */

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
      guint8 *place = emit_jump (e, ARENA_CACHE);
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

static void
emit_break_hook (Builder *b, const Hook *hook, Addr pc)
{
  Addr slot = STATE_ADDR (slots) + 8 * hook->slot;
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
instrument_hooks (Builder *b, const Hooks *hooks, Addr pc)
{
  const Hook *hook = hooks_find (hooks, pc);

  if (hooks->point.used && hooks->point.pc == pc)
    pointhook_emit (&hooks->point, b);
  if (hook != NULL)
    emit_break_hook (b, hook, pc);
}
