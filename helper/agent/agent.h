/* Agent expressions: GDB's bytecode for conditions, evaluated here.

   GDB compiles breakpoint conditions (and the extension the expressions
   of a search) to a little stack machine described in GDB's manual, "The
   GDB Agent Expression Mechanism".  Evaluating them in the helper saves a
   round trip for each hit.  Code comes from outside: every operand,
   stack slot and jump is checked, and the number of steps is limited, so
   that any bytes at all end with a value or an error.

   Not here: tracing operations (they collect nothing, but are accepted
   with their stack effect), floating point and printf.  */

#ifndef RETRO_AGENT_AGENT_H
#define RETRO_AGENT_AGENT_H

#include "base/types.h"

#define AGENT_MAX_STEPS 100000u
#define AGENT_STACK 100u
#define AGENT_MAX_CODE 65536u

typedef struct
{
  /* Read all LENGTH bytes (1, 2, 4 or 8) or return FALSE.  */
  gboolean (*read_memory) (Addr addr, void *buffer, gsize length, gpointer user);
  /* NUMBER as in the target description; FALSE if there is no such.  */
  gboolean (*read_register) (guint number, guint64 *value_ret, gpointer user);
  gpointer user;
} AgentContext;

/* The value on top of the stack at `end'.  RETRO_ERROR_FORMAT for bad code,
   RETRO_ERROR_FAILED for memory that cannot be read, a division by zero,
   too many steps.  */
gboolean agent_eval (const guint8 *code, gsize length, const AgentContext *context, guint64 *value_ret,
                     GError **error);

#endif
