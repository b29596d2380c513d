/* Copying an instruction to another address: see relocate.h.

   The cache is farther than 2 GB from the program, so [rip+d] must become
   something else.  Below 2 GB an absolute operand does it.  Else a register
   that the instruction does not mention is loaded with the address: the
   ModRM byte changes from mod 0, rm 5 to mod 2, rm REG with displacement 0,
   which leaves length and all prefixes as they are.  That wants the B bit
   of REX, VEX, EVEX to be clear; it has no meaning with [rip+d], and an
   assembler that sets it all the same gets its instruction stepped (or the
   REX bit cleared).  */

#include "ticks/relocate.h"

#include "ticks/state.h"

#define LOW_ADDRESS 0x80000000ull

/* Offset of the byte with inverted X and B bits, or 0.  */
static guint
vex_byte (const ZydisDecodedInstruction *z)
{
  switch (z->encoding)
    {
    case ZYDIS_INSTRUCTION_ENCODING_VEX:
      return z->raw.vex.size == 3 ? z->raw.vex.offset + 1u : 0;
    case ZYDIS_INSTRUCTION_ENCODING_EVEX:
    case ZYDIS_INSTRUCTION_ENCODING_XOP:
      return z->raw.evex.offset + 1u;
    default:
      return 0;
    }
}

static gboolean
is_legacy (const ZydisDecodedInstruction *z)
{
  return z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

static gboolean
has_rex (const ZydisDecodedInstruction *z)
{
  return (z->attributes & ZYDIS_ATTRIB_HAS_REX) != 0;
}

/* The general register in the reg field.  */
static int
reg_field (const ZydisDecodedInstruction *z)
{
  return z->raw.modrm.reg | (has_rex (z) ? z->raw.rex.R << 3 : 0);
}

/* lea reg, [rip+d] is a constant.  */
static gboolean
relocate_lea (Emit *e, const Insn *insn)
{
  if (insn->z.mnemonic != ZYDIS_MNEMONIC_LEA || insn->z.operand_width < 32)
    return FALSE;
  emit_constant (e, reg_field (&insn->z), insn->z.operand_width == 32 ? (guint32) insn->target : insn->target);
  return TRUE;
}

/* Absolute 32-bit address: a SIB byte without base and index.  */
static gboolean
relocate_low (Emit *e, const Insn *insn, const guint8 *bytes)
{
  const ZydisDecodedInstruction *z = &insn->z;
  guint modrm = z->raw.modrm.offset, disp = z->raw.disp.offset, vex = vex_byte (z);

  if (insn->target >= LOW_ADDRESS || z->length >= INSN_MAX || (vex != 0 && !(bytes[vex] & 0x40)))
    return FALSE;
  guint8 *start = e->p;
  emit_bytes (e, bytes, modrm);
  if (has_rex (z))
    start[z->raw.rex.offset] &= (guint8) ~3;
  emit_byte (e, (guint8) ((bytes[modrm] & 0x38) | 0x04));
  emit_byte (e, 0x25);
  emit_u32 (e, (guint32) insn->target);
  emit_bytes (e, bytes + disp + 4, z->length - disp - 4u);
  return TRUE;
}

/* Does INSN only load its reg field with something from memory, so that
   this register can hold the address before?  */
static gboolean
is_pure_load (const ZydisDecodedInstruction *z)
{
  if (!is_legacy (z) || z->operand_width < 32)
    return FALSE;
  if (z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
    return z->opcode == 0x8b || z->opcode == 0x63;
  return z->opcode_map == ZYDIS_OPCODE_MAP_0F
         && (z->opcode == 0xb6 || z->opcode == 0xb7 || z->opcode == 0xbe || z->opcode == 0xbf);
}

static int
choose_register (const Insn *insn, gboolean *reload_ret)
{
  static const guint8 candidates[] = { GPR_RDX, GPR_RCX, GPR_RSI, GPR_RDI, GPR_RAX, GPR_RBX };
  int reg = reg_field (&insn->z);

  *reload_ret = FALSE;
  if (is_pure_load (&insn->z) && reg < 8 && reg != GPR_RSP)
    return reg;
  guint used = insn_registers (insn);
  *reload_ret = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++)
    if (!(used & (1u << candidates[i])))
      return candidates[i];
  return -1;
}

Relocate
relocate_rip (Emit *e, const Insn *insn, const guint8 *bytes, Relocated *relocated_ret)
{
  const ZydisDecodedInstruction *z = &insn->z;
  guint modrm = z->raw.modrm.offset, disp = z->raw.disp.offset, vex = vex_byte (z);

  if ((z->attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE) || z->raw.disp.size != 32
      || z->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX)
    return RELOCATE_IMPOSSIBLE;
  if (relocate_lea (e, insn) || relocate_low (e, insn, bytes))
    return RELOCATE_SIMPLE;
  int reg = choose_register (insn, &relocated_ret->reload);
  if (reg < 0 || (vex != 0 && !(bytes[vex] & 0x20)))
    return RELOCATE_IMPOSSIBLE;
  emit_store (e, reg, STATE_ADDR (scratch));
  relocated_ret->reg = reg;
  relocated_ret->first = e->p;
  emit_constant (e, reg, insn->target);
  guint8 *start = e->p;
  emit_bytes (e, bytes, z->length);
  if (has_rex (z))
    start[z->raw.rex.offset] &= (guint8) ~1;
  start[modrm] = (guint8) ((bytes[modrm] & 0x38) | 0x80 | reg);
  memset (start + disp, 0, 4);
  relocated_ret->last = e->p;
  return RELOCATE_SCRATCH;
}

gboolean
relocate_target (Emit *e, const Insn *insn, const guint8 *bytes)
{
  const ZydisDecodedInstruction *z = &insn->z;
  guint modrm = z->raw.modrm.offset;

  if (!is_legacy (z) || z->opcode != 0xff)
    return FALSE;
  for (guint i = 0; i < z->raw.prefix_count; i++)
    switch (bytes[i])
      {
      case 0x64:
      case 0x65:
      case 0x67:
        emit_byte (e, bytes[i]);
        break;
      case 0xf0:
        return FALSE;
      default: /* other segments, bnd, notrack, rex: without meaning here  */
        break;
      }
  emit_byte (e, (guint8) (0x48 | (has_rex (z) ? z->raw.rex.X << 1 | z->raw.rex.B : 0)));
  emit_byte (e, 0x8b);
  emit_byte (e, (guint8) ((bytes[modrm] & 0xc7) | GPR_RCX << 3));
  emit_bytes (e, bytes + modrm + 1, z->length - modrm - 1u);
  return TRUE;
}
