/* Classification of instructions: see insn.h.

   One table by mnemonic.  Everything that is not in it is an ordinary
   instruction.  Privileged instructions are ordinary ones too: they fault
   in the code cache as they would in the program.

   INSN_STEP is for what would behave differently at another address or
   under translation: far transfers, software interrupts, changes of TF,
   transactions (a step aborts them, which is allowed to happen any time).  */

#include "ticks/insn.h"

enum
{
  TICK = 0x40,
  OWN_TRAP = 0x80,
  KIND = 0x3f
};

#define M(name) [ZYDIS_MNEMONIC_##name]

static const guint8 kinds[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
  M (JMP) = INSN_JMP | TICK,
  M (CALL) = INSN_CALL | TICK,
  M (RET) = INSN_RET | TICK,
  M (JB) = INSN_JCC | TICK,
  M (JBE) = INSN_JCC | TICK,
  M (JL) = INSN_JCC | TICK,
  M (JLE) = INSN_JCC | TICK,
  M (JNB) = INSN_JCC | TICK,
  M (JNBE) = INSN_JCC | TICK,
  M (JNL) = INSN_JCC | TICK,
  M (JNLE) = INSN_JCC | TICK,
  M (JNO) = INSN_JCC | TICK,
  M (JNP) = INSN_JCC | TICK,
  M (JNS) = INSN_JCC | TICK,
  M (JNZ) = INSN_JCC | TICK,
  M (JO) = INSN_JCC | TICK,
  M (JP) = INSN_JCC | TICK,
  M (JS) = INSN_JCC | TICK,
  M (JZ) = INSN_JCC | TICK,
  M (JCXZ) = INSN_LOOP | TICK,
  M (JECXZ) = INSN_LOOP | TICK,
  M (JRCXZ) = INSN_LOOP | TICK,
  M (LOOP) = INSN_LOOP | TICK,
  M (LOOPE) = INSN_LOOP | TICK,
  M (LOOPNE) = INSN_LOOP | TICK,
  M (SYSCALL) = INSN_SYSCALL,
  M (SYSENTER) = INSN_SYSCALL,
  M (RDTSC) = INSN_TSC,
  M (RDTSCP) = INSN_TSC,
  M (INT) = INSN_STEP,
  M (INT1) = INSN_STEP | OWN_TRAP,
  M (INT3) = INSN_STEP | OWN_TRAP,
  M (IRET) = INSN_STEP,
  M (IRETD) = INSN_STEP,
  M (IRETQ) = INSN_STEP,
  M (UIRET) = INSN_STEP,
  M (SYSRET) = INSN_STEP,
  M (SYSEXIT) = INSN_STEP,
  M (POPF) = INSN_STEP,
  M (POPFD) = INSN_STEP,
  M (POPFQ) = INSN_STEP,
  M (XBEGIN) = INSN_STEP,
  M (XEND) = INSN_STEP,
  M (XABORT) = INSN_STEP,
  M (XTEST) = INSN_STEP,
  M (JKNZD) = INSN_STEP | TICK,
  M (JKZD) = INSN_STEP | TICK,
};

static const guint8 stores_x87[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
  M (FNSTENV) = 1, M (FNSAVE) = 1,    M (FXSAVE) = 1,   M (FXSAVE64) = 1,   M (XSAVE) = 1,  M (XSAVE64) = 1,
  M (XSAVEC) = 1,  M (XSAVEC64) = 1,  M (XSAVEOPT) = 1, M (XSAVEOPT64) = 1, M (XSAVES) = 1, M (XSAVES64) = 1,
};

static const ZydisDecoder *
get_decoder (void)
{
  static ZydisDecoder decoder;
  static gboolean ready;

  if (!ready)
    {
      ZydisDecoderInit (&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
      ready = TRUE;
    }
  return &decoder;
}

/* The kinds of the table say "direct" and "near"; correct that.  */
static InsnKind
refine_kind (const ZydisDecodedInstruction *z, InsnKind kind)
{
  gboolean direct = (z->attributes & ZYDIS_ATTRIB_IS_RELATIVE) && z->raw.imm[0].is_relative;

  switch (kind)
    {
    case INSN_JMP:
    case INSN_CALL:
      if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || (z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE))
        return INSN_STEP;
      if (direct)
        return kind;
      return kind == INSN_JMP ? INSN_JMP_INDIRECT : INSN_CALL_INDIRECT;
    case INSN_JCC:
    case INSN_RET:
      if ((z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) || z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR
          || (kind == INSN_RET && z->opcode != 0xc2 && z->opcode != 0xc3))
        return INSN_STEP;
      return kind;
    case INSN_LOOP:
      return (z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) ? INSN_STEP : kind;
    case INSN_STEP:
      if (z->mnemonic == ZYDIS_MNEMONIC_INT && z->raw.imm[0].value.u == 0x80)
        return INSN_SYSCALL;
      return kind;
    default:
      return kind;
    }
}

gboolean
insn_decode (const guint8 *bytes, gsize length, Addr pc, Insn *insn_ret)
{
  ZydisDecodedInstruction *z = &insn_ret->z;

  if (!ZYAN_SUCCESS (ZydisDecoderDecodeInstruction (get_decoder (), &insn_ret->context, bytes, length, z)))
    return FALSE;
  guint8 entry = kinds[z->mnemonic];
  insn_ret->kind = refine_kind (z, entry & KIND);
  insn_ret->length = z->length;
  insn_ret->tick = (entry & TICK) != 0;
  insn_ret->own_trap = (entry & OWN_TRAP) != 0;
  insn_ret->pushf = z->mnemonic >= ZYDIS_MNEMONIC_PUSHF && z->mnemonic <= ZYDIS_MNEMONIC_PUSHFQ;
  insn_ret->sets_flags = (z->mnemonic >= ZYDIS_MNEMONIC_POPF && z->mnemonic <= ZYDIS_MNEMONIC_POPFQ)
                         || (z->mnemonic >= ZYDIS_MNEMONIC_IRET && z->mnemonic <= ZYDIS_MNEMONIC_IRETQ);
  insn_ret->rep = (z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
  insn_ret->x87 = z->meta.isa_ext == ZYDIS_ISA_EXT_X87;
  insn_ret->x87_store = stores_x87[z->mnemonic] != 0;
  insn_ret->rip_relative = FALSE;
  insn_ret->ret_pop = insn_ret->kind == INSN_RET && z->opcode == 0xc2 ? (guint16) z->raw.imm[0].value.u : 0;
  insn_ret->target = 0;
  if (z->attributes & ZYDIS_ATTRIB_IS_RELATIVE)
    {
      if (z->raw.imm[0].is_relative)
        insn_ret->target = pc + z->length + (guint64) z->raw.imm[0].value.s;
      else
        {
          insn_ret->rip_relative = TRUE;
          insn_ret->target = pc + z->length + (guint64) z->raw.disp.value;
        }
    }
  return TRUE;
}

guint
insn_operands (const Insn *insn, ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
  if (insn->z.operand_count == 0
      || !ZYAN_SUCCESS (
          ZydisDecoderDecodeOperands (get_decoder (), &insn->context, &insn->z, operands, insn->z.operand_count)))
    return 0;
  return insn->z.operand_count;
}

static guint
register_bit (ZydisRegister reg)
{
  ZydisRegister wide = ZydisRegisterGetLargestEnclosing (ZYDIS_MACHINE_MODE_LONG_64, reg);

  if (wide < ZYDIS_REGISTER_RAX || wide > ZYDIS_REGISTER_R15)
    return 0;
  return 1u << (wide - ZYDIS_REGISTER_RAX);
}

guint
insn_registers (const Insn *insn)
{
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  guint n = insn_operands (insn, operands), mask = 0;

  for (guint i = 0; i < n; i++)
    {
      if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
        mask |= register_bit (operands[i].reg.value);
      else if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
        mask |= register_bit (operands[i].mem.base) | register_bit (operands[i].mem.index);
    }
  return mask;
}

gboolean
insn_writes_memory (const Insn *insn)
{
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  guint n = insn_operands (insn, operands);

  for (guint i = 0; i < n; i++)
    if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY
        && (operands[i].actions & (ZYDIS_OPERAND_ACTION_MASK_WRITE)))
      return TRUE;
  return FALSE;
}
