/* From a program's instructions to a block: see translate.h.

   Translating costs about a microsecond a block, an exit to the helper ten;
   so the direct successors of a block are translated along with it, and
   where calls return to.

   In memory that the program may write while it runs there, a block ends
   behind each instruction that writes memory: it may have changed the
   next, which the guard of the next block sees.  */

#include "ticks/translate.h"

#include "ticks/builder.h"
#include "ticks/instrument.h"
#include "ticks/relocate.h"

/* Instructions in a block; room for each is bounded by CACHE_BLOCK_MAX.  */
#define MAX_INSNS 64
/* Blocks translated at once.  */
#define MAX_AHEAD 12

#define ALL_SPILLED (SPILL_RCX | SPILL_RAX | SPILL_RDX)

typedef struct
{
  Builder b;
  Source *source;
  const Hooks *hooks;
  const Task *task;
  Addr pc;        /* of the instruction at hand  */
  guint8 bytes[INSN_MAX];
  Insn insn;
  GArray *ahead;  /* of Ahead  */
} Translation;

typedef struct
{
  Addr pc;
  gboolean indirect;
} Ahead;

static void
note_ahead (Translation *t, Addr pc, gboolean indirect)
{
  Ahead ahead = { pc, indirect };

  if (t->ahead->len < MAX_AHEAD)
    g_array_append_val (t->ahead, ahead);
}

/* Where indirect transfers come in: rcx is the target, rcx, rax and rdx are
   in the state page.  Returns the place of the displacement to the next
   candidate.  */
static guint8 *
emit_indirect_entry (Builder *b)
{
  Emit *e = &b->e;
  guint8 *hit;

  builder_row (b, b->pc, ALL_SPILLED, 0);
  if (b->pc < 0x80000000)
    {
      emit_add (e, GPR_RCX, (gint32) - (gint64) b->pc);
      hit = emit_short (e, OP_JRCXZ);
      emit_add (e, GPR_RCX, (gint32) b->pc);
    }
  else
    {
      emit_constant (e, GPR_RAX, -b->pc);
      emit_lea_index (e, GPR_RCX, GPR_RCX, GPR_RAX, 0);
      hit = emit_short (e, OP_JRCXZ);
      emit_constant (e, GPR_RAX, b->pc);
      emit_lea_index (e, GPR_RCX, GPR_RCX, GPR_RAX, 0);
    }
  guint8 *chain = emit_jump (e, ARENA_CACHE);
  emit_short_here (e, hit);
  emit_load (e, GPR_RAX, STATE_ADDR (rax));
  emit_load (e, GPR_RDX, STATE_ADDR (rdx));
  emit_load (e, GPR_RCX, STATE_ADDR (rcx));
  return chain;
}

/* The counting sequence, without the reload of rcx at its end.  */
static void
emit_count (Translation *t)
{
  Emit *e = &t->b.e;

  builder_row (&t->b, t->pc, 0, ROW_CLEAN);
  emit_store (e, GPR_RCX, STATE_ADDR (rcx));
  builder_row (&t->b, t->pc, SPILL_RCX, 0);
  if (!t->b.cache->counts)
    return;
  emit_load (e, GPR_RCX, STATE_ADDR (ticks_left));
  emit_add (e, GPR_RCX, -1);
  emit_store (e, GPR_RCX, STATE_ADDR (ticks_left));
  builder_row (&t->b, t->pc, SPILL_RCX, ROW_COUNTED);
  builder_exit (&t->b, EXIT_TICKS, t->pc, SPILL_RCX, PLACE_SHORT, emit_short (e, OP_JRCXZ));
}

static void
emit_count_and_reload (Translation *t)
{
  if (!t->b.cache->counts)
    {
      builder_row (&t->b, t->pc, 0, ROW_CLEAN);
      return;
    }
  emit_count (t);
  emit_load (&t->b.e, GPR_RCX, STATE_ADDR (rcx));
  builder_row (&t->b, t->pc, 0, ROW_COUNTED);
}

static void
emit_direct (Translation *t, Addr target)
{
  builder_exit (&t->b, EXIT_DIRECT, target, 0, PLACE_NEAR, emit_jump (&t->b.e, ARENA_CACHE));
  note_ahead (t, target, FALSE);
}

/* rcx is the target and State.rcx the program's.  rdx is an address in this
   sequence, which tells the helper which branch it was.  */
static void
emit_lookup (Translation *t)
{
  Emit *e = &t->b.e;

  emit_store (e, GPR_RAX, STATE_ADDR (rax));
  emit_store (e, GPR_RDX, STATE_ADDR (rdx));
  Addr here = emit_addr (e, e->p);
  emit_address (e, GPR_RDX, here);
  emit_bytes (e, "\x0f\xb7\xc1", 3); /* movzx eax, cx  */
  emit_bytes (e, "\xff\xa4\xc2", 3); /* jmp [rdx + rax * 8 + ...]  */
  emit_u32 (e, (guint32) (cache_table (t->b.cache) - here));
}

static void
emit_jcc (Translation *t)
{
  emit_count_and_reload (t);
  emit_byte (&t->b.e, 0x0f);
  emit_byte (&t->b.e, (guint8) (0x80 | (t->insn.z.opcode & 15)));
  guint8 *taken = t->b.e.p;
  emit_u32 (&t->b.e, 0);
  builder_exit (&t->b, EXIT_DIRECT, t->insn.target, 0, PLACE_NEAR, taken);
  note_ahead (t, t->insn.target, FALSE);
}

static void
translate_jcc (Translation *t)
{
  emit_jcc (t);
  emit_direct (t, t->pc + t->insn.length);
}

static void
translate_loop (Translation *t)
{
  emit_count_and_reload (t);
  if (t->insn.z.attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE)
    emit_byte (&t->b.e, 0x67);
  guint8 *taken = emit_short (&t->b.e, t->insn.z.opcode);
  emit_direct (t, t->pc + t->insn.length);
  emit_short_here (&t->b.e, taken);
  emit_direct (t, t->insn.target);
}

static void
translate_jmp (Translation *t)
{
  emit_count_and_reload (t);
  emit_direct (t, t->insn.target);
}

static void
translate_call (Translation *t)
{
  Addr back = t->pc + t->insn.length;

  emit_count_and_reload (t);
  builder_push (&t->b, back);
  emit_direct (t, t->insn.target);
  note_ahead (t, back, TRUE);
}

static void
translate_ret (Translation *t)
{
  guint32 pop = 8u + t->insn.ret_pop;

  emit_count (t);
  emit_bytes (&t->b.e, "\x48\x8b\x0c\x24", 4); /* mov rcx, [rsp]  */
  emit_bytes (&t->b.e, "\x48\x8d\xa4\x24", 4); /* lea rsp, [rsp + pop]  */
  emit_u32 (&t->b.e, pop);
  emit_lookup (t);
}

static void
translate_step (Translation *t)
{
  builder_row (&t->b, t->pc, 0, ROW_CLEAN);
  builder_exit (&t->b, EXIT_STEP, t->pc, 0, PLACE_HERE, NULL);
}

static gboolean
has_segment (const Insn *insn)
{
  return (insn->z.attributes & (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS)) != 0;
}

/* rcx = where the indirect jmp or call goes.  */
static gboolean
emit_target (Emit *e, const Insn *insn, const guint8 *bytes)
{
  if (!insn->rip_relative)
    return relocate_target (e, insn, bytes);
  if (has_segment (insn) || (insn->z.attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE))
    return FALSE;
  emit_constant (e, GPR_RCX, insn->target);
  emit_bytes (e, "\x48\x8b\x09", 3); /* mov rcx, [rcx]  */
  return TRUE;
}

static void
translate_indirect (Translation *t)
{
  Addr back = t->pc + t->insn.length;
  guint8 trial[64];
  Emit scrap = { trial, t->b.e.base };

  if (!emit_target (&scrap, &t->insn, t->bytes))
    {
      translate_step (t);
      return;
    }
  emit_count (t);
  if (!t->insn.rip_relative)
    emit_load (&t->b.e, GPR_RCX, STATE_ADDR (rcx));
  emit_target (&t->b.e, &t->insn, t->bytes);
  if (t->insn.kind == INSN_CALL_INDIRECT)
    {
      builder_push (&t->b, back);
      note_ahead (t, back, TRUE);
    }
  emit_lookup (t);
}

static gboolean
translate_rip_relative (Translation *t)
{
  Relocated relocated;
  guint8 *start = t->b.e.p;

  builder_row (&t->b, t->pc, 0, ROW_CLEAN);
  switch (relocate_rip (&t->b.e, &t->insn, t->bytes, &relocated))
    {
    case RELOCATE_SIMPLE:
      return TRUE;
    case RELOCATE_SCRATCH:
      {
        guint8 *end = t->b.e.p;

        t->b.e.p = relocated.first;
        builder_row_scratch (&t->b, t->pc, relocated.reg);
        t->b.e.p = end;
      }
      if (relocated.reload)
        {
          builder_row_scratch (&t->b, t->pc + t->insn.length, relocated.reg);
          emit_load (&t->b.e, relocated.reg, STATE_ADDR (scratch));
        }
      return TRUE;
    default:
      t->b.e.p = start;
      g_array_set_size (t->b.rows, t->b.rows->len - 1);
      translate_step (t);
      return FALSE;
    }
}

/* An instruction in the middle of a block.  FALSE: it ends the block after
   all.  */
static gboolean
translate_plain (Translation *t)
{
  if (t->insn.kind == INSN_JCC)
    {
      emit_jcc (t);
      return TRUE;
    }
  if (t->insn.x87)
    t->b.cache->x87 = TRUE;
  if (t->insn.x87_store)
    {
      translate_step (t);
      return FALSE;
    }
  if (t->insn.rip_relative)
    return translate_rip_relative (t);
  builder_row (&t->b, t->pc, 0, ROW_CLEAN);
  emit_bytes (&t->b.e, t->bytes, t->insn.length);
  return TRUE;
}

typedef void (*EndFunc) (Translation *t);

/* What ends a block.  */
static const EndFunc ends[] = {
  [INSN_JMP] = translate_jmp,           [INSN_JCC] = translate_jcc,
  [INSN_LOOP] = translate_loop,         [INSN_CALL] = translate_call,
  [INSN_RET] = translate_ret,           [INSN_JMP_INDIRECT] = translate_indirect,
  [INSN_SYSCALL] = translate_step,      [INSN_CALL_INDIRECT] = translate_indirect,
  [INSN_TSC] = translate_step,          [INSN_STEP] = translate_step,
};

/* Translate from t->pc to the end of the block; t->bytes and t->insn hold
   the first instruction.  */
static void
translate_body (Translation *t, gboolean guarded)
{
  for (guint n = 1;; n++)
    {
      gboolean passes = t->insn.kind == INSN_JCC && !t->b.cache->counts && !guarded;

      if (t->insn.kind != INSN_PLAIN && !passes)
        {
          ends[t->insn.kind](t);
          t->pc += t->insn.length;
          return;
        }
      gboolean more = translate_plain (t);
      t->pc += t->insn.length;
      if (!more)
        return;
      gboolean now_guarded;
      gsize length = source_read (t->source, t->task, t->pc, t->bytes, sizeof t->bytes, &now_guarded);
      if (n >= MAX_INSNS || now_guarded != guarded || (guarded && insn_writes_memory (&t->insn))
          || !insn_decode (t->bytes, length, t->pc, &t->insn))
        break;
      instrument_hooks (&t->b, t->hooks, t->pc);
    }
  builder_row (&t->b, t->pc, 0, ROW_CLEAN | ROW_HOOK);
  emit_direct (t, t->pc);
}

/* How many bytes of source the guard must compare is known only when the
   block is translated; so decode once beforehand.  */
static gsize
measure_guarded (Translation *t, Addr pc, guint8 *source)
{
  gsize done = 0;
  gboolean guarded;
  Insn insn;

  for (guint n = 1; n <= MAX_INSNS; n++)
    {
      gsize length = source_read (t->source, t->task, pc + done, source + done, INSN_MAX, &guarded);

      if (!guarded || !insn_decode (source + done, length, pc + done, &insn))
        return MAX (done, 1);
      done += insn.length;
      if (insn.kind != INSN_PLAIN || insn.x87_store || insn_writes_memory (&insn))
        break;
    }
  return done;
}

static Block *
translate_one (Translation *t, Addr pc)
{
  guint8 source[(MAX_INSNS + 1) * INSN_MAX];
  gboolean guarded;

  t->pc = pc;
  gsize length = source_read (t->source, t->task, pc, t->bytes, sizeof t->bytes, &guarded);
  if (length == 0)
    return NULL;
  gboolean valid = insn_decode (t->bytes, length, pc, &t->insn);
  builder_init (&t->b, t->source->cache, pc);
  guint32 indirect = builder_offset (&t->b);
  guint8 *chain = emit_indirect_entry (&t->b);
  guint32 entry = builder_offset (&t->b);
  if (guarded)
    instrument_guard (&t->b, source, measure_guarded (t, pc, source));
  instrument_hooks (&t->b, t->hooks, pc);
  guint32 arrived_entry = builder_offset (&t->b);
  if (valid)
    translate_body (t, guarded);
  else
    {
      translate_step (t);
      t->pc += length;
    }
  Block *block = builder_finish (&t->b, (guint32) (t->pc - pc));
  block->indirect = indirect;
  block->entry = entry;
  block->arrived_entry = arrived_entry;
  block->chain = (guint32) (chain - t->b.e.base);
  block->guarded = guarded;
  cache_add (t->source->cache, block);
  source_note (t->source, block);
  return block;
}

Block *
translate_block (Source *source, const Hooks *hooks, const Task *task, Addr pc)
{
  Translation t = { .source = source, .hooks = hooks, .task = task };

  t.ahead = g_array_new (FALSE, FALSE, sizeof (Ahead));
  Block *first = translate_one (&t, pc);
  for (guint i = 0; first != NULL && i < t.ahead->len && !cache_is_full (source->cache); i++)
    {
      Ahead ahead = g_array_index (t.ahead, Ahead, i);
      Block *block = cache_find (source->cache, ahead.pc);

      if (block == NULL)
        block = translate_one (&t, ahead.pc);
      if (block != NULL && ahead.indirect)
        cache_add_indirect (source->cache, block);
    }
  g_array_free (t.ahead, TRUE);
  return first;
}
