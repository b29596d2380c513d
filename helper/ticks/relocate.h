/* Copying an instruction to another address.  */

#ifndef RETRO_TICKS_RELOCATE_H
#define RETRO_TICKS_RELOCATE_H

#include "ticks/emit.h"
#include "ticks/insn.h"

typedef enum
{
  RELOCATE_SIMPLE,   /* one instruction, nothing spilled  */
  RELOCATE_SCRATCH,  /* a register lives in State.scratch from FIRST to LAST  */
  RELOCATE_IMPOSSIBLE
} Relocate;

typedef struct
{
  int reg;             /* the scratch register  */
  guint8 *first, *last; /* SCRATCH: from behind the spill to behind the instruction  */
  gboolean reload;     /* SCRATCH: the register must be loaded again at LAST  */
} Relocated;

/* Emit INSN, whose BYTES use a pc-relative memory operand, up to LAST; the
   caller emits the reload.  */
Relocate relocate_rip (Emit *e, const Insn *insn, const guint8 *bytes, Relocated *relocated_ret);

/* Emit "mov rcx, operand" for the operand of the indirect jmp or call INSN
   (register, or memory that is not pc-relative).  FALSE: odd encoding.  */
gboolean relocate_target (Emit *e, const Insn *insn, const guint8 *bytes);

#endif
