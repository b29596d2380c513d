/* Writing machine code: the dozen instructions that translation adds.

   All of them leave the flags and the program's stack alone.  Code is
   written through the helper's mapping of the cache; its own address in
   the task is known, so operands can be pc-relative.

   Registers are numbers in the hardware's order: rax 0, rcx 1, rdx 2 ...  */

#ifndef RETRO_TICKS_EMIT_H
#define RETRO_TICKS_EMIT_H

#include "base/types.h"

#include <string.h>

enum
{
  GPR_RAX,
  GPR_RCX,
  GPR_RDX,
  GPR_RBX,
  GPR_RSP,
  GPR_RBP,
  GPR_RSI,
  GPR_RDI
};

typedef struct
{
  guint8 *p;    /* where the next byte goes  */
  guint8 *base; /* the helper's address of ARENA_CACHE  */
} Emit;

static inline Addr
emit_addr (const Emit *e, const guint8 *p)
{
  return ARENA_CACHE + (Addr) (p - e->base);
}

static inline void
emit_bytes (Emit *e, const void *bytes, gsize n)
{
  memcpy (e->p, bytes, n);
  e->p += n;
}

static inline void
emit_byte (Emit *e, guint8 byte)
{
  *e->p++ = byte;
}

static inline void
emit_u32 (Emit *e, guint32 value)
{
  emit_bytes (e, &value, 4);
}

static inline void
emit_u64 (Emit *e, guint64 value)
{
  emit_bytes (e, &value, 8);
}

/* The displacement that reaches TARGET from the end of its own 4 bytes.  */
static inline void
emit_rel32 (Emit *e, Addr target)
{
  emit_u32 (e, (guint32) (target - (emit_addr (e, e->p) + 4)));
}

/* OPCODE reg, [rip -> target] with a 64-bit operand.  */
static inline void
emit_rip_op (Emit *e, guint8 opcode, int reg, Addr target)
{
  emit_byte (e, (guint8) (0x48 | (reg >> 3) << 2));
  emit_byte (e, opcode);
  emit_byte (e, (guint8) (0x05 | (reg & 7) << 3));
  emit_rel32 (e, target);
}

/* mov reg, [target]  */
static inline void
emit_load (Emit *e, int reg, Addr target)
{
  emit_rip_op (e, 0x8b, reg, target);
}

/* mov [target], reg  */
static inline void
emit_store (Emit *e, int reg, Addr target)
{
  emit_rip_op (e, 0x89, reg, target);
}

/* lea reg, [target]  */
static inline void
emit_address (Emit *e, int reg, Addr target)
{
  emit_rip_op (e, 0x8d, reg, target);
}

/* mov reg, value  */
static inline void
emit_constant (Emit *e, int reg, guint64 value)
{
  if (value <= G_MAXUINT32)
    {
      if (reg >= 8)
        emit_byte (e, 0x41);
      emit_byte (e, (guint8) (0xb8 | (reg & 7)));
      emit_u32 (e, (guint32) value);
      return;
    }
  emit_byte (e, (guint8) (0x48 | reg >> 3));
  emit_byte (e, (guint8) (0xb8 | (reg & 7)));
  emit_u64 (e, value);
}

/* lea dest, [base + index * (1 << shift)]; base is neither rbp nor r13,
   index not rsp.  */
static inline void
emit_lea_index (Emit *e, int dest, int base, int index, int shift)
{
  emit_byte (e, (guint8) (0x48 | (dest >> 3) << 2 | (index >> 3) << 1 | base >> 3));
  emit_byte (e, 0x8d);
  emit_byte (e, (guint8) (0x04 | (dest & 7) << 3));
  emit_byte (e, (guint8) (shift << 6 | (index & 7) << 3 | (base & 7)));
}

/* lea reg, [reg + displacement]; reg is not rsp.  */
static inline void
emit_add (Emit *e, int reg, gint32 displacement)
{
  emit_byte (e, (guint8) (0x48 | reg >> 3 | (reg >> 3) << 2));
  emit_byte (e, 0x8d);
  if (displacement >= -128 && displacement <= 127)
    {
      emit_byte (e, (guint8) (0x40 | (reg & 7) << 3 | (reg & 7)));
      emit_byte (e, (guint8) displacement);
      return;
    }
  emit_byte (e, (guint8) (0x80 | (reg & 7) << 3 | (reg & 7)));
  emit_u32 (e, (guint32) displacement);
}

/* jmp target; returns the place of the displacement, for patching.  */
static inline guint8 *
emit_jump (Emit *e, Addr target)
{
  emit_byte (e, 0xe9);
  guint8 *place = e->p;
  emit_rel32 (e, target);
  return place;
}

/* jrcxz, jmp short, loop ...; returns the place of the displacement.  */
static inline guint8 *
emit_short (Emit *e, guint8 opcode)
{
  emit_byte (e, opcode);
  emit_byte (e, 0);
  return e->p - 1;
}

/* Make the short jump at PLACE go to where E is now.  */
static inline void
emit_short_here (Emit *e, guint8 *place)
{
  gssize distance = e->p - (place + 1);

  g_assert (distance >= 0 && distance <= 127);
  *place = (guint8) distance;
}

/* Make the near jump at PLACE go to TARGET.  */
static inline void
emit_patch (guint8 *place, Addr place_addr, Addr target)
{
  guint32 relative = (guint32) (target - (place_addr + 4));

  memcpy (place, &relative, 4);
}

#define OP_JRCXZ 0xe3
#define OP_JMP_SHORT 0xeb
#define OP_INT3 0xcc

#endif
