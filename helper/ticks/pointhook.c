/* The hook that looks for a point: see pointhook.h.

   A filter is what makes a loop around a point run nearly as fast as
   without the hook, so it takes the fewest instructions that can tell one
   turn from the next.  Of a word it takes 32 bits: a load of more than what
   was just stored would wait for the cache.  The memory that a point's words name may be gone
   when the hook looks; the fault that follows finds ROW_HOOK here and
   means "no match" (see unwind.c).  */

#include "ticks/pointhook.h"

#include "record/around.h"

#include <cpuid.h>

/* 9 * INVERSE == 1 (mod 2^64)  */
#define INVERSE 0x8e38e38e38e38e39ull

#define ALL_SPILLED (SPILL_RCX | SPILL_RAX | SPILL_RDX)

/* XSAVE's layout as far as all processors have the same.  */
#define XMM_OFFSET 160
#define XMM_END 416
#define YMM_HIGH_OFFSET 576
#define YMM_HIGH_END 832

static gboolean
is_xstate (const PointId *point, guint i)
{
  return point->words[i].addr >= POINT_XSTATE;
}

/* The number of the vector register whose low part is word I, or -1.  */
static gint
low_vector (const PointId *point, guint i)
{
  guint64 offset = point->words[i].addr - POINT_XSTATE;

  if (!is_xstate (point, i) || offset < XMM_OFFSET || offset >= XMM_END || offset % 16 != 0)
    return -1;
  return (gint) (offset - XMM_OFFSET) / 16;
}

PointHook
pointhook_choose (const PointId *point, const Task *task, gboolean rep)
{
  PointHook hook;

  memset (&hook, 0, sizeof hook);
  hook.used = TRUE;
  hook.pc = point->regs.rip;
  hook.rep = rep;
  hook.vector = -1;
  if (rep)
    return hook;
  for (guint i = 0; i < point->n_words; i++)
    {
      if (is_xstate (point, i))
        hook.n_xstate++;
      else
        hook.n_memory++;
      if (hook.vector < 0)
        hook.vector = low_vector (point, i);
    }
  guint32 written = around_written (task, &point->regs);
  for (guint reg = 0; reg < 16 && hook.n_filter < G_N_ELEMENTS (hook.filter); reg++)
    if (written & (1u << reg))
      hook.filter[hook.n_filter++] = (guint8) reg;
  hook.word = hook.n_filter == 0 && hook.vector < 0 && hook.n_memory > 0;
  return hook;
}

/* ---- Numbers ---- */

static guint64
get_register (const Regs *r, guint number)
{
  const unsigned long long *const all[] = { &r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp, &r->rsi, &r->rdi,
                                            &r->r8,  &r->r9,  &r->r10, &r->r11, &r->r12, &r->r13, &r->r14, &r->r15 };

  return *all[number];
}

/* All registers of the sum but rcx, the optional ones last.  */
static const guint8 order[] = { GPR_RAX, GPR_RDX, GPR_RBX, GPR_RSP, GPR_RBP, 8, 9, 10, 11, 12, 13, 14, 15,
                                GPR_RSI, GPR_RDI };

static guint
n_summed (const PointHook *hook)
{
  return hook->rep ? G_N_ELEMENTS (order) - 2 : G_N_ELEMENTS (order);
}

/* The number that starts the filter's sum such that it ends as 0.  */
static guint64
filter_start (const PointHook *hook, const PointId *point)
{
  guint64 sum = 0, factor = 1;

  for (guint i = 0; i < hook->n_filter; i++)
    {
      sum = sum * 9 + get_register (&point->regs, hook->filter[i]);
      factor *= INVERSE;
    }
  for (guint i = 0; (hook->vector >= 0 || hook->word) && i < point->n_words; i++)
    if (hook->word ? !is_xstate (point, i) : low_vector (point, i) == hook->vector)
      {
        sum = sum * 9 + (hook->word ? (guint32) point->words[i].value : point->words[i].value);
        factor *= INVERSE;
        break;
      }
  return -sum * factor;
}

static guint64
component (guint64 offset)
{
  return offset < XMM_OFFSET ? 1 : offset < XMM_END ? 2 : offset >= YMM_HIGH_OFFSET && offset < YMM_HIGH_END ? 4 : 0;
}

void
pointhook_load (const PointHook *hook, const PointId *point, State *state)
{
  guint64 sum = hook->rep ? 0 : point->regs.rcx, xstate_sum = 0;
  guint n_memory = 0, n_xstate = 0;

  state->point_filter = filter_start (hook, point);
  state->xstate_mask = 0;
  for (guint i = 0; i < n_summed (hook); i++)
    sum = sum * 9 + get_register (&point->regs, order[i]);
  for (guint i = 0; i < point->n_words && !hook->rep; i++)
    {
      guint64 value = point->words[i].value, offset = point->words[i].addr - POINT_XSTATE;

      if (!is_xstate (point, i))
        {
          state->point_words[n_memory++] = point->words[i].addr;
          sum = sum * 9 + value;
          continue;
        }
      /* What the hook cannot look at agrees with itself.  */
      gboolean known = component (offset) != 0;
      state->xstate_mask |= component (offset);
      state->xstate_words[n_xstate++] = known ? STATE_ADDR (xstate) + offset : STATE_ADDR (zero);
      xstate_sum = xstate_sum * 9 + (known ? value : 0);
    }
  state->point_sum = -sum;
  state->xstate_sum = -xstate_sum;
}

/* ---- Code ---- */

/* SUM = 9 * SUM + REG, where SUM is rax or rcx.  */
static void
emit_mix (Emit *e, int sum, int reg)
{
  emit_lea_index (e, sum, sum, sum, 3);
  /* reg as index: rsp cannot be one, so it is the base.  */
  emit_lea_index (e, sum, reg == GPR_RSP ? GPR_RSP : sum, reg == GPR_RSP ? sum : reg, 0);
}

static gboolean
has_avx (void)
{
  static int known; /* 1 no, 2 yes  */
  unsigned a, b, c, d;

  if (known == 0)
    known = __get_cpuid (1, &a, &b, &c, &d) && (c & bit_AVX) && (c & bit_OSXSAVE) ? 2 : 1;
  return known == 2;
}

/* movq rcx, xmm; as vmovq where there is that, since a mixture of both
   kinds of instructions is slow on some processors.  */
static void
emit_get_vector (Emit *e, int vector)
{
  guint8 modrm = (guint8) (0xc0 | (vector & 7) << 3 | GPR_RCX);

  if (has_avx ())
    {
      emit_byte (e, 0xc4);
      emit_byte (e, (guint8) (0x61 | (vector < 8) << 7));
      emit_byte (e, 0xf9);
    }
  else
    {
      emit_byte (e, 0x66);
      emit_byte (e, (guint8) (0x48 | (vector >> 3) << 2));
      emit_byte (e, 0x0f);
    }
  emit_byte (e, 0x7e);
  emit_byte (e, modrm);
}

/* rcx = 0 if the filter agrees; rcx and rax are in the state page.  */
static void
emit_filter (const PointHook *hook, Emit *e)
{
  emit_load (e, GPR_RAX, STATE_ADDR (point_filter));
  /* rax is among them: by way of rcx, which comes after it.  */
  for (guint i = 0; i < hook->n_filter; i++)
    if (hook->filter[i] == GPR_RAX)
      {
        emit_load (e, GPR_RCX, STATE_ADDR (rax));
        emit_mix (e, GPR_RAX, GPR_RCX);
        emit_load (e, GPR_RCX, STATE_ADDR (rcx));
      }
    else
      emit_mix (e, GPR_RAX, hook->filter[i]);
  if (hook->vector >= 0)
    {
      emit_get_vector (e, hook->vector);
      emit_mix (e, GPR_RAX, GPR_RCX);
    }
  if (hook->word)
    {
      emit_load (e, GPR_RCX, STATE_ADDR (point_words));
      emit_bytes (e, "\x8b\x09", 2); /* mov ecx, [rcx]  */
      emit_mix (e, GPR_RAX, GPR_RCX);
    }
  emit_bytes (e, "\x48\x8d\x08", 3); /* lea rcx, [rax]  */
  emit_load (e, GPR_RAX, STATE_ADDR (rax));
}

/* Mix the words at the N addresses from PLACE on into rcx, by way of rax.  */
static void
emit_words (Emit *e, Addr place, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      emit_load (e, GPR_RAX, place + 8 * i);
      emit_bytes (e, "\x48\x8b\x00", 3); /* mov rax, [rax]  */
      emit_mix (e, GPR_RCX, GPR_RAX);
    }
}

/* Go on behind only if rcx and the number at PLACE come to 0; else to
   OTHERWISE.  */
static void
emit_compare (Emit *e, Addr place, Addr otherwise)
{
  emit_load (e, GPR_RAX, place);
  emit_lea_index (e, GPR_RCX, GPR_RCX, GPR_RAX, 0);
  guint8 *equal = emit_short (e, OP_JRCXZ);
  emit_jump (e, otherwise);
  emit_short_here (e, equal);
}

static void
emit_xstate (const PointHook *hook, Builder *b, Addr otherwise)
{
  Emit *e = &b->e;

  emit_store (e, GPR_RDX, STATE_ADDR (rdx));
  builder_row (b, hook->pc, ALL_SPILLED, ROW_HOOK);
  emit_load (e, GPR_RAX, STATE_ADDR (xstate_mask));
  emit_constant (e, GPR_RDX, 0);
  emit_bytes (e, "\x48\x0f\xae\x25", 4); /* xsave64 [rip + ...]  */
  emit_rel32 (e, STATE_ADDR (xstate));
  emit_load (e, GPR_RDX, STATE_ADDR (rdx));
  emit_constant (e, GPR_RCX, 0);
  emit_words (e, STATE_ADDR (xstate_words), hook->n_xstate);
  emit_compare (e, STATE_ADDR (xstate_sum), otherwise);
}

void
pointhook_emit (const PointHook *hook, Builder *b)
{
  Emit *e = &b->e;

  builder_row (b, hook->pc, 0, ROW_CLEAN | ROW_HOOK);
  emit_store (e, GPR_RCX, STATE_ADDR (rcx));
  emit_store (e, GPR_RAX, STATE_ADDR (rax));
  builder_row (b, hook->pc, SPILL_RCX | SPILL_RAX, ROW_HOOK);
  guint8 *look = NULL;
  if (hook->n_filter != 0 || hook->vector >= 0 || hook->word)
    {
      emit_filter (hook, e);
      look = emit_short (e, OP_JRCXZ);
    }
  else
    look = emit_short (e, OP_JMP_SHORT);
  Addr otherwise = emit_addr (e, e->p);
  emit_load (e, GPR_RAX, STATE_ADDR (rax));
  emit_load (e, GPR_RCX, STATE_ADDR (rcx));
  guint8 *over = emit_jump (e, otherwise);
  emit_short_here (e, look);
  if (hook->rep)
    emit_constant (e, GPR_RCX, 0);
  else
    emit_load (e, GPR_RCX, STATE_ADDR (rcx));
  for (guint i = 0; i < n_summed (hook); i++)
    emit_mix (e, GPR_RCX, order[i]);
  emit_words (e, STATE_ADDR (point_words), hook->n_memory);
  emit_compare (e, STATE_ADDR (point_sum), otherwise);
  if (hook->n_xstate != 0)
    emit_xstate (hook, b, otherwise);
  builder_exit (b, EXIT_POINT, hook->pc, SPILL_RCX | SPILL_RAX, PLACE_HERE, NULL);
  emit_patch (over, emit_addr (e, over), emit_addr (e, e->p));
}
