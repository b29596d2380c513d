/* What the tick counter wants to know of one instruction.

   A thin layer over Zydis: it says how an instruction must be treated
   (copied, relocated, rewritten, stepped, stopped at), and whether it is a
   tick.  Both the translator and the single-stepping oracle ask here, so
   that they cannot disagree on what a tick is.  */

#ifndef RETRO_TICKS_INSN_H
#define RETRO_TICKS_INSN_H

#include "base/types.h"

#include <Zydis/Zydis.h>

#define INSN_MAX 15

typedef enum
{
  INSN_PLAIN,        /* may be copied verbatim (if not .rip_relative)  */
  INSN_JMP,          /* direct; .target  */
  INSN_JCC,          /* direct; .target or the next instruction  */
  INSN_LOOP,         /* likewise, with an 8-bit displacement only (loop, jrcxz)  */
  INSN_CALL,         /* direct; .target  */
  INSN_RET,          /* pops .ret_pop more bytes  */
  INSN_JMP_INDIRECT, /* through the ModRM operand  */
  INSN_CALL_INDIRECT,
  INSN_SYSCALL,      /* never executed: the run stops in front  */
  INSN_TSC,          /* likewise  */
  INSN_STEP          /* only ever executed by a single step at its own address  */
} InsnKind;

typedef struct
{
  InsnKind kind;
  guint8 length;
  gboolean tick;         /* a control transfer: counts  */
  gboolean rip_relative; /* has a memory operand relative to the pc  */
  gboolean own_trap;     /* int3, int1: SIGTRAP is what it does  */
  gboolean pushf;        /* pushes the flags  */
  gboolean sets_flags;   /* popf, iret: may set TF  */
  gboolean rep;          /* a repeated string instruction  */
  gboolean x87;          /* leaves its address in the x87 state  */
  gboolean x87_store;    /* stores x87 state with the address in it  */
  guint16 ret_pop;
  Addr target;           /* of direct transfers; of the operand if rip_relative  */
  ZydisDecodedInstruction z;
  ZydisDecoderContext context;
} Insn;

/* Decode the instruction at PC from LENGTH BYTES.  FALSE if that is no
   valid instruction (or LENGTH is too short).  */
gboolean insn_decode (const guint8 *bytes, gsize length, Addr pc, Insn *insn_ret);

/* Operands, for the few who need them; returns how many.  */
guint insn_operands (const Insn *insn, ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);
/* General registers that INSN mentions in any way: bit N is register N in
   the hardware's order (rax rcx rdx rbx rsp rbp rsi rdi r8...).  */
guint insn_registers (const Insn *insn);
/* May INSN write memory?  */
gboolean insn_writes_memory (const Insn *insn);

#endif
