/* Reading the code around a pc: see around.h.

   Addresses of memory operands are computed from the registers at the pc,
   carried along through the simple moves of pointers and of the stack; so the
   walk returns from a function to the loop that calls it, but does not look
   into the functions that are called on its way.  Vector and x87
   registers that the code writes are named by their places in the XSAVE
   image: first those that it both reads and writes (accumulators), each
   with its low part before anybody's high part.  */

#include "record/around.h"

#include <Zydis/Zydis.h>
#include <string.h>

#define LOOK_AHEAD 96 /* instructions  */
#define PENDING 16
#define RETURNS_MAX 4
#define MEMORY_WORDS 12

/* The registers as far as reading the code has computed them.  */
typedef struct
{
  Regs regs;
  guint32 unknown; /* bit of each general register whose value is lost  */
} Ahead;

typedef struct
{
  Addr at;
  Ahead ahead;
} Branch;

/* A walk over the code that can be reached: each instruction once, loops
   before what is around them.  */
typedef struct
{
  const Task *task;
  ZydisDecoder decoder;
  Addr at;
  Ahead ahead;             /* before the instruction at AT  */
  guint paths;             /* that have come to an end  */
  guint n_pending, n_callers, returns;
  Branch pending[PENDING];     /* to be walked  */
  Branch callers[RETURNS_MAX]; /* after those, or after a third of all  */
  guint n_seen;
  Addr seen[LOOK_AHEAD];
  Addr base;               /* of CODE  */
  gsize length;
  guint8 code[256];
  ZydisDecodedInstruction insn;
  ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
} Walk;

/* ---- General registers ---- */

static guint32
register_bit (ZydisRegister reg)
{
  ZydisRegister large = ZydisRegisterGetLargestEnclosing (ZYDIS_MACHINE_MODE_LONG_64, reg);

  return large >= ZYDIS_REGISTER_RAX && large <= ZYDIS_REGISTER_R15 ? 1u << (large - ZYDIS_REGISTER_RAX) : 0;
}

static unsigned long long *
register_slot (Regs *regs, ZydisRegister reg)
{
  unsigned long long *const slots[]
      = { &regs->rax, &regs->rcx, &regs->rdx, &regs->rbx, &regs->rsp, &regs->rbp, &regs->rsi, &regs->rdi,
          &regs->r8,  &regs->r9,  &regs->r10, &regs->r11, &regs->r12, &regs->r13, &regs->r14, &regs->r15 };
  guint32 bit = register_bit (reg);

  return bit != 0 ? slots[g_bit_nth_lsf (bit, -1)] : NULL;
}

/* The address of MEM; FALSE if a register it needs is unknown.  */
static gboolean
find_address (Ahead *ahead, const ZydisDecodedOperandMem *mem, Addr next, Addr *addr_ret)
{
  unsigned long long *base = register_slot (&ahead->regs, mem->base);
  unsigned long long *index = register_slot (&ahead->regs, mem->index);

  if ((ahead->unknown & (register_bit (mem->base) | register_bit (mem->index))) != 0)
    return FALSE;
  Addr addr = (guint64) mem->disp.value + (base != NULL ? *base : 0) + (index != NULL ? *index * mem->scale : 0);
  if (mem->base == ZYDIS_REGISTER_RIP)
    addr += next;
  if (mem->segment == ZYDIS_REGISTER_FS)
    addr += ahead->regs.fs_base;
  else if (mem->segment == ZYDIS_REGISTER_GS)
    addr += ahead->regs.gs_base;
  *addr_ret = addr;
  return TRUE;
}

/* What an instruction leaves in the 64-bit register it writes, if that is
   simple: pointers that are loaded, computed or copied.  */
static gboolean
find_result (Ahead *ahead, const Walk *w, guint64 *value_ret)
{
  const ZydisDecodedOperand *ops = w->ops;
  Addr next = w->at + w->insn.length, addr;

  if (w->insn.operand_count_visible != 2 || ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER || ops[0].size != 64
      || register_slot (&ahead->regs, ops[0].reg.value) == NULL)
    return FALSE;
  if (w->insn.mnemonic == ZYDIS_MNEMONIC_LEA)
    return find_address (ahead, &ops[1].mem, next, value_ret);
  if (w->insn.mnemonic != ZYDIS_MNEMONIC_MOV)
    return FALSE;
  if (ops[1].type == ZYDIS_OPERAND_TYPE_MEMORY)
    return find_address (ahead, &ops[1].mem, next, &addr)
           && task_read_some (w->task, addr, value_ret, sizeof *value_ret) == sizeof *value_ret;
  if (ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER || (ahead->unknown & register_bit (ops[1].reg.value)) != 0)
    return FALSE;

  const unsigned long long *from = register_slot (&ahead->regs, ops[1].reg.value);

  if (from == NULL)
    return FALSE;
  *value_ret = *from;
  return TRUE;
}

#define BIT_OF(reg) (1u << (ZYDIS_REGISTER_##reg - ZYDIS_REGISTER_RAX))
#define LOST_IN_CALLS                                                                                                  \
  (BIT_OF (RAX) | BIT_OF (RCX) | BIT_OF (RDX) | BIT_OF (RSI) | BIT_OF (RDI) | BIT_OF (R8) | BIT_OF (R9) | BIT_OF (R10)  \
   | BIT_OF (R11))

/* Carry on over an instruction that moves the stack pointer; FALSE if it is
   none that we know.  */
static gboolean
move_stack (Ahead *ahead, const Walk *w)
{
  const ZydisDecodedOperand *ops = w->ops;
  unsigned long long *slot = NULL;
  guint64 value;

  if (ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
    slot = register_slot (&ahead->regs, ops[0].reg.value);
  switch (w->insn.mnemonic)
    {
    case ZYDIS_MNEMONIC_PUSH:
      ahead->regs.rsp -= 8;
      return ops[0].size == 64;
    case ZYDIS_MNEMONIC_POP:
      if (ops[0].size != 64 || slot == NULL)
        return FALSE;
      ahead->unknown |= register_bit (ops[0].reg.value);
      if ((ahead->unknown & BIT_OF (RSP)) == 0
          && task_read_some (w->task, ahead->regs.rsp, &value, sizeof value) == sizeof value)
        {
          *slot = value;
          ahead->unknown &= ~register_bit (ops[0].reg.value);
        }
      ahead->regs.rsp += 8;
      return TRUE;
    case ZYDIS_MNEMONIC_CALL:
      ahead->unknown |= LOST_IN_CALLS;
      return TRUE;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
      if (slot != &ahead->regs.rsp || ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return FALSE;
      *slot += w->insn.mnemonic == ZYDIS_MNEMONIC_ADD ? ops[1].imm.value.u : -ops[1].imm.value.u;
      return TRUE;
    case ZYDIS_MNEMONIC_LEAVE:
      ahead->regs.rsp = ahead->regs.rbp + 8;
      if ((ahead->unknown & BIT_OF (RBP)) != 0
          || task_read_some (w->task, ahead->regs.rbp, &value, sizeof value) != sizeof value)
        return FALSE;
      ahead->regs.rbp = value;
      ahead->unknown &= ~BIT_OF (RSP);
      return TRUE;
    default:
      return FALSE;
    }
}

static void
look_at_results (Ahead *ahead, const Walk *w)
{
  guint64 value = 0;
  gboolean known;

  if (move_stack (ahead, w))
    return;
  known = find_result (ahead, w, &value);

  for (int i = 0; i < w->insn.operand_count; i++)
    if (w->ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER && (w->ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0)
      ahead->unknown |= register_bit (w->ops[i].reg.value);
  if (known)
    {
      *register_slot (&ahead->regs, w->ops[0].reg.value) = value;
      ahead->unknown &= ~register_bit (w->ops[0].reg.value);
    }
}

/* ---- The walk ---- */

/* FALSE: the instruction at AT was seen or cannot be decoded.  */
static gboolean
look (Walk *w)
{
  for (guint i = 0; i < w->n_seen; i++)
    if (w->seen[i] == w->at)
      return FALSE;
  w->seen[w->n_seen++] = w->at;
  if (w->at < w->base || w->at >= w->base + w->length)
    {
      w->base = w->at;
      w->length = task_read_some (w->task, w->base, w->code, sizeof w->code);
    }
  if (ZYAN_SUCCESS (ZydisDecoderDecodeFull (&w->decoder, w->code + (w->at - w->base),
                                            w->length - (w->at - w->base), &w->insn, w->ops)))
    return TRUE;
  if (w->at == w->base)
    return FALSE;
  /* It may have been cut off.  */
  w->base = w->at;
  w->length = task_read_some (w->task, w->base, w->code, sizeof w->code);
  return ZYAN_SUCCESS (ZydisDecoderDecodeFull (&w->decoder, w->code, w->length, &w->insn, w->ops));
}

/* REGS are those at the beginning.  FALSE: nothing can be decoded there.  */
static gboolean
walk_begin (Walk *w, const Task *task, const Regs *regs)
{
  w->task = task;
  w->at = regs->rip;
  w->ahead = (Ahead){ *regs, 0 };
  w->paths = w->n_pending = w->n_callers = w->n_seen = w->returns = 0;
  w->base = 0;
  w->length = 0;
  ZydisDecoderInit (&w->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return look (w);
}

static void
add_pending (Walk *w, Addr at)
{
  if (w->n_pending < PENDING)
    w->pending[w->n_pending++] = (Branch){ at, w->ahead };
}

/* The path ends with a return: what the function itself uses comes before
   what its caller does.  */
static void
note_caller (Walk *w)
{
  guint64 target;

  if ((w->ahead.unknown & BIT_OF (RSP)) != 0 || w->returns == RETURNS_MAX
      || task_read_some (w->task, w->ahead.regs.rsp, &target, sizeof target) != sizeof target)
    return;
  w->returns++;
  w->ahead.regs.rsp += 8;
  w->callers[w->n_callers++] = (Branch){ target, w->ahead };
}

/* The next of the N branches of LIST.  */
static void
take_branch (Walk *w, Branch *list, guint *n)
{
  w->at = list[0].at;
  w->ahead = list[0].ahead;
  --*n;
  memmove (list, list + 1, *n * sizeof *list);
}

/* Where the path goes on; FALSE: nowhere.  */
static gboolean
find_next (Walk *w)
{
  ZydisInstructionCategory category = w->insn.meta.category;
  Addr next = w->at + w->insn.length, target;

  if (category == ZYDIS_CATEGORY_RET)
    {
      note_caller (w);
      return FALSE;
    }
  look_at_results (&w->ahead, w);
  w->at = next;
  if (category != ZYDIS_CATEGORY_UNCOND_BR && category != ZYDIS_CATEGORY_COND_BR)
    return TRUE;
  if (w->ops[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
    return FALSE;
  target = next + (guint64) w->ops[0].imm.value.s;
  if (category == ZYDIS_CATEGORY_UNCOND_BR || target < next)
    w->at = target;
  if (category == ZYDIS_CATEGORY_COND_BR)
    add_pending (w, target < next ? next : target);
  return TRUE;
}

static gboolean
walk_next (Walk *w)
{
  gboolean more = find_next (w);

  while (w->n_seen < LOOK_AHEAD)
    {
      if (more && look (w))
        return TRUE;
      w->paths++;
      if (w->n_callers != 0 && (w->n_pending == 0 || w->n_seen >= LOOK_AHEAD / 3))
        take_branch (w, w->callers, &w->n_callers);
      else if (w->n_pending != 0)
        take_branch (w, w->pending, &w->n_pending);
      else
        return FALSE;
      more = TRUE;
    }
  return FALSE;
}

/* ---- What is written ---- */

/* Does the instruction read what it writes to OP's register?  */
static gboolean
is_accumulated (const Walk *w, const ZydisDecodedOperand *op)
{
  if ((op->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0)
    return TRUE;
  for (int i = 0; i < w->insn.operand_count_visible; i++)
    if (w->ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER && w->ops[i].reg.value == op->reg.value
        && (w->ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0)
      return TRUE;
  return w->insn.mnemonic == ZYDIS_MNEMONIC_LEA
         && (w->ops[1].mem.base == op->reg.value || w->ops[1].mem.index == op->reg.value);
}

guint32
around_written (const Task *task, const Regs *regs)
{
  guint32 accumulated = 0, written = 0;
  Walk w;

  /* Up to where the innermost loop closes.  */
  for (gboolean more = walk_begin (&w, task, regs); more && w.paths == 0; more = walk_next (&w))
    for (int i = 0; i < w.insn.operand_count; i++)
      {
        const ZydisDecodedOperand *op = &w.ops[i];

        if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0)
          continue;
        written |= register_bit (op->reg.value);
        if (is_accumulated (&w, op))
          accumulated |= register_bit (op->reg.value);
      }
  /* The stack's own comes back to where it was.  */
  accumulated &= ~register_bit (ZYDIS_REGISTER_RSP);
  written &= ~register_bit (ZYDIS_REGISTER_RSP);
  return accumulated != 0 ? accumulated : written;
}

/* ---- Vector and x87 registers ---- */

typedef struct
{
  guint n;
  guint32 offsets[POINT_WORDS]; /* of registers' lowest words in the image  */
  guint8 sizes[POINT_WORDS];    /* in bytes, of the part that the code writes  */
} Places;

/* XSAVE's layout as far as all processors have the same.  */
#define X87_OFFSET 32
#define XMM_OFFSET 160
#define YMM_HIGH_OFFSET 576

static void
add_place (Places *places, guint32 offset, guint size)
{
  for (guint i = 0; i < places->n; i++)
    if (places->offsets[i] == offset)
      {
        places->sizes[i] = (guint8) MAX (places->sizes[i], size);
        return;
      }
  if (places->n < POINT_WORDS)
    {
      places->offsets[places->n] = offset;
      places->sizes[places->n++] = (guint8) size;
    }
}

static void
add_register (Places *places, ZydisRegister reg)
{
  const gint8 id = ZydisRegisterGetId (reg);
  const gint number = id >= 0 ? (gint) (guint8) id : -1;

  switch (ZydisRegisterGetClass (reg))
    {
    case ZYDIS_REGCLASS_X87:
      /* Relative to the top, as in the image; a push moves all.  */
      for (guint i = 0; i < 2; i++)
        add_place (places, X87_OFFSET + 16 * i, 8);
      break;
    case ZYDIS_REGCLASS_MMX:
      add_place (places, X87_OFFSET + 16 * (guint32) number, 8);
      break;
    case ZYDIS_REGCLASS_XMM:
      if (number < 16)
        add_place (places, XMM_OFFSET + 16 * (guint32) number, 16);
      break;
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
      if (number < 16)
        add_place (places, XMM_OFFSET + 16 * (guint32) number, 32);
      break;
    default:
      break;
    }
}

static void
find_places (Places *places, const Task *task, const Regs *regs, gboolean accumulated)
{
  Walk w;

  for (gboolean more = walk_begin (&w, task, regs); more; more = walk_next (&w))
    {
      if (w.insn.meta.isa_ext == ZYDIS_ISA_EXT_X87)
        add_register (places, ZYDIS_REGISTER_ST0);
      for (int i = 0; i < w.insn.operand_count; i++)
        if (w.ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER && (w.ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0
            && is_accumulated (&w, &w.ops[i]) == accumulated)
          add_register (places, w.ops[i].reg.value);
    }
}

static void
add_part (PointId *point, GBytes *xstate, guint32 offset)
{
  gsize length;
  const guint8 *image = g_bytes_get_data (xstate, &length);

  if (point->n_words == POINT_WORDS || offset + 8 > length)
    return;
  point->words[point->n_words].addr = POINT_XSTATE + offset;
  memcpy (&point->words[point->n_words].value, image + offset, 8);
  point->n_words++;
}

static void
add_parts (PointId *point, const Task *task, GBytes *xstate)
{
  Places places = { .n = 0 };

  find_places (&places, task, &point->regs, TRUE);
  find_places (&places, task, &point->regs, FALSE);
  for (guint part = 0; part < 32; part += 8)
    for (guint i = 0; i < places.n; i++)
      if (part < 16 && part < places.sizes[i])
        add_part (point, xstate, places.offsets[i] + part);
      else if (part < places.sizes[i])
        add_part (point, xstate, YMM_HIGH_OFFSET + (places.offsets[i] - XMM_OFFSET) + part - 16);
}

/* ---- Memory ---- */

static gboolean
is_private (const Space *space, Addr addr)
{
  const Mapping *map = space_find (space, addr);

  return map != NULL && (map->flags & (MAP_SHARED_ | MAP_SPECIAL_)) == 0 && addr + 8 <= map->end;
}

static void
add_word (PointId *point, const Task *task, const Space *space, Addr addr)
{
  guint64 value;

  for (guint i = 0; i < point->n_words; i++)
    if (point->words[i].addr == addr)
      return;
  if (point->n_words == MEMORY_WORDS || !is_private (space, addr)
      || task_read_some (task, addr, &value, sizeof value) != sizeof value)
    return;
  point->words[point->n_words].addr = addr;
  point->words[point->n_words].value = value;
  point->n_words++;
}

static void
add_memory (PointId *point, const Task *task, const Space *space)
{
  Walk w;

  for (gboolean more = walk_begin (&w, task, &point->regs); more; more = walk_next (&w))
    for (int i = 0; i < w.insn.operand_count_visible; i++)
      {
        const ZydisDecodedOperandMem *mem = &w.ops[i].mem;
        Addr addr;

        if (w.ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY && mem->type == ZYDIS_MEMOP_TYPE_MEM
            && find_address (&w.ahead, mem, w.at + w.insn.length, &addr))
          add_word (point, task, space, addr);
      }
}

void
around_find_words (PointId *point, const Task *task, const Space *space, GBytes *xstate)
{
  add_memory (point, task, space);
  add_parts (point, task, xstate);
}
