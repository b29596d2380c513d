/* Naming a place inside a stretch: see point.h.

   The words come from the code itself: the instructions from the pc on,
   following direct jumps, name the memory that a loop around the pc uses;
   their addresses are computed from the registers as they are.  Shared
   mappings are left out of everything, since others may write them.  */

#include "record/point.h"

#include "base/error.h"
#include "base/hash.h"

#include <Zydis/Zydis.h>
#include <string.h>
#include <sys/mman.h>

#define FLAGS_IGNORED 0x10100u /* TF, RF  */
#define LOOK_AHEAD 24          /* instructions  */
#define STACK_BYTES 512
#define AROUND_BYTES 64
#define GLOBALS_MAX (32u << 10)

static Regs
normal_regs (const Regs *regs)
{
  Regs normal = *regs;

  normal.eflags &= ~(unsigned long long) FLAGS_IGNORED;
  normal.orig_rax = 0;
  return normal;
}

/* ---- Words ---- */

/* The registers as far as looking ahead has computed them.  */
typedef struct
{
  Regs regs;
  guint32 unknown; /* bit of each general register whose value is lost  */
} Ahead;

static guint32
register_bit (ZydisRegister reg)
{
  ZydisRegister large = ZydisRegisterGetLargestEnclosing (ZYDIS_MACHINE_MODE_LONG_64, reg);

  return large >= ZYDIS_REGISTER_RAX && large <= ZYDIS_REGISTER_R15 ? 1u << (large - ZYDIS_REGISTER_RAX) : 0;
}

static unsigned long long *
register_slot (Regs *regs, ZydisRegister reg)
{
  switch (ZydisRegisterGetLargestEnclosing (ZYDIS_MACHINE_MODE_LONG_64, reg))
    {
    case ZYDIS_REGISTER_RAX: return &regs->rax;
    case ZYDIS_REGISTER_RBX: return &regs->rbx;
    case ZYDIS_REGISTER_RCX: return &regs->rcx;
    case ZYDIS_REGISTER_RDX: return &regs->rdx;
    case ZYDIS_REGISTER_RSI: return &regs->rsi;
    case ZYDIS_REGISTER_RDI: return &regs->rdi;
    case ZYDIS_REGISTER_RBP: return &regs->rbp;
    case ZYDIS_REGISTER_RSP: return &regs->rsp;
    case ZYDIS_REGISTER_R8: return &regs->r8;
    case ZYDIS_REGISTER_R9: return &regs->r9;
    case ZYDIS_REGISTER_R10: return &regs->r10;
    case ZYDIS_REGISTER_R11: return &regs->r11;
    case ZYDIS_REGISTER_R12: return &regs->r12;
    case ZYDIS_REGISTER_R13: return &regs->r13;
    case ZYDIS_REGISTER_R14: return &regs->r14;
    case ZYDIS_REGISTER_R15: return &regs->r15;
    default: return NULL;
    }
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

/* What an instruction leaves in the registers it writes, if that is simple:
   pointers that are loaded, computed or copied.  */
static void
look_at_results (Ahead *ahead, const Task *task, const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops,
                 Addr next)
{
  unsigned long long *slot = NULL;
  guint64 value = 0;
  gboolean known = FALSE;
  Addr addr;

  if (insn->operand_count_visible == 2 && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[0].size == 64)
    {
      slot = register_slot (&ahead->regs, ops[0].reg.value);
      if (insn->mnemonic == ZYDIS_MNEMONIC_MOV && ops[1].type == ZYDIS_OPERAND_TYPE_MEMORY)
        known = find_address (ahead, &ops[1].mem, next, &addr)
                && task_read_some (task, addr, &value, sizeof value) == sizeof value;
      else if (insn->mnemonic == ZYDIS_MNEMONIC_LEA)
        known = find_address (ahead, &ops[1].mem, next, &value);
      else if (insn->mnemonic == ZYDIS_MNEMONIC_MOV && ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
        {
          unsigned long long *from = register_slot (&ahead->regs, ops[1].reg.value);

          known = from != NULL && (ahead->unknown & register_bit (ops[1].reg.value)) == 0;
          value = known ? *from : 0;
        }
    }
  for (int i = 0; i < insn->operand_count; i++)
    if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER && (ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0)
      ahead->unknown |= register_bit (ops[i].reg.value);
  if (known && slot != NULL)
    {
      *slot = value;
      ahead->unknown &= ~register_bit (ops[0].reg.value);
    }
}

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

  addr &= ~7ull;
  for (guint i = 0; i < point->n_words; i++)
    if (point->words[i].addr == addr)
      return;
  if (point->n_words == POINT_WORDS || !is_private (space, addr)
      || task_read_some (task, addr, &value, sizeof value) != sizeof value)
    return;
  point->words[point->n_words].addr = addr;
  point->words[point->n_words].value = value;
  point->n_words++;
}

static void
find_words (PointId *point, const Task *task, const Space *space)
{
  Ahead ahead = { .regs = point->regs };
  ZydisDecoder decoder;
  guint8 code[256];
  Addr base = point->regs.rip, at = base;
  gsize length = task_read_some (task, base, code, sizeof code);

  ZydisDecoderInit (&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (int i = 0; i < LOOK_AHEAD; i++)
    {
      ZydisDecodedInstruction insn;
      ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

      if (at < base || at >= base + length)
        {
          /* A jump led out of what was read: read there.  */
          base = at;
          length = task_read_some (task, base, code, sizeof code);
        }
      if (!ZYAN_SUCCESS (ZydisDecoderDecodeFull (&decoder, code + (at - base), length - (at - base), &insn, ops)))
        break;
      Addr next = at + insn.length;
      for (int k = 0; k < insn.operand_count_visible; k++)
        {
          const ZydisDecodedOperandMem *mem = &ops[k].mem;

          if (ops[k].type != ZYDIS_OPERAND_TYPE_MEMORY || mem->type != ZYDIS_MEMOP_TYPE_MEM)
            continue;
          Addr addr;
          if (find_address (&ahead, mem, next, &addr))
            add_word (point, task, space, addr);
        }
      look_at_results (&ahead, task, &insn, ops, next);
      if (insn.meta.category == ZYDIS_CATEGORY_UNCOND_BR || insn.meta.category == ZYDIS_CATEGORY_COND_BR)
        {
          /* Loops jump back: follow those, and what is unconditional.  */
          if (ops[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
            break;
          Addr target = next + (guint64) ops[0].imm.value.s;
          look_at_results (&ahead, task, &insn, ops, next);
      if (insn.meta.category == ZYDIS_CATEGORY_UNCOND_BR || target < at)
            next = target;
        }
      else if (insn.meta.category == ZYDIS_CATEGORY_RET)
        break;
      at = next;
    }
}

/* ---- Hash ---- */

static guint64
hash_some (const Task *task, const Space *space, guint64 seed, Addr addr, gsize length)
{
  guint8 buffer[STACK_BYTES];
  const Mapping *map = space_find (space, addr);

  if (map == NULL || (map->flags & (MAP_SHARED_ | MAP_SPECIAL_)) != 0)
    return seed;
  length = MIN (MIN (length, sizeof buffer), map->end - addr);
  length = task_read_some (task, addr, buffer, length);
  return hash_bytes (buffer, length, seed ^ addr);
}

/* Writable file mappings of moderate size are the data of program and
   libraries.  */
static guint64
hash_globals (const Task *task, const Space *space, guint64 seed)
{
  static guint8 buffer[GLOBALS_MAX];
  gsize left = 2 * GLOBALS_MAX;

  for (guint i = 0; i < space->maps->len && left > 0; i++)
    {
      const Mapping *map = &g_array_index (space->maps, Mapping, i);

      if (map->file == NO_FILE || (map->prot & PROT_WRITE) == 0 || (map->flags & MAP_SHARED_) != 0)
        continue;
      gsize length = MIN (MIN (map->end - map->start, sizeof buffer), left);
      left -= length;
      length = task_read_some (task, map->start, buffer, length);
      seed = hash_bytes (buffer, length, seed ^ map->start);
    }
  return seed;
}

guint32
point_memory_hash (const Task *task, const Space *space, const Regs *regs)
{
  const guint64 pointers[]
      = { regs->rax, regs->rbx, regs->rcx, regs->rdx, regs->rsi, regs->rdi, regs->rbp, regs->r8,
          regs->r9,  regs->r10, regs->r11, regs->r12, regs->r13, regs->r14, regs->r15 };
  guint64 hash = hash_some (task, space, 1, regs->rsp, STACK_BYTES);

  for (gsize i = 0; i < G_N_ELEMENTS (pointers); i++)
    hash = hash_some (task, space, hash, pointers[i], AROUND_BYTES);
  hash = hash_some (task, space, hash, regs->fs_base - 256, 256);
  hash = hash_globals (task, space, hash);
  return (guint32) (hash ^ (hash >> 32));
}

/* ---- Interface ---- */

PointId *
point_describe (const Task *task, const Space *space, PointWhy why, GError **error)
{
  g_autofree PointId *point = g_new0 (PointId, 1);

  point->why = why;
  if (!task_get_regs (task, &point->regs, error))
    return NULL;
  point->regs = normal_regs (&point->regs);
  g_autoptr (GBytes) xstate = task_get_xstate (task, error);
  if (xstate == NULL)
    return NULL;
  point->xstate_hash = xstate_hash (xstate);
  find_words (point, task, space);
  point->memory_hash = point_memory_hash (task, space, &point->regs);
  return g_steal_pointer (&point);
}

gboolean
point_match_regs (const PointId *point, const Regs *regs)
{
  Regs normal = normal_regs (regs);

  return memcmp (&normal, &point->regs, sizeof normal) == 0;
}

gboolean
point_match (const PointId *point, const Task *task, const Space *space, const Regs *regs)
{
  if (!point_match_regs (point, regs))
    return FALSE;
  for (guint i = 0; i < point->n_words; i++)
    {
      guint64 value;

      if (task_read_some (task, point->words[i].addr, &value, sizeof value) != sizeof value
          || value != point->words[i].value)
        return FALSE;
    }
  g_autoptr (GBytes) xstate = task_get_xstate (task, NULL);
  return xstate != NULL && xstate_hash (xstate) == point->xstate_hash
         && point_memory_hash (task, space, &point->regs) == point->memory_hash;
}
