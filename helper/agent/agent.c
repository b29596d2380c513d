/* Agent expressions: see agent/agent.h.

   One row for each operation: operand bytes, how many values it takes and
   leaves, and a function.  The loop checks stack and operands from the
   row, so the functions only compute.  Numbers in the code are big-endian
   whatever the target; arithmetic is in 64 bits and wraps.  */

#include "agent/agent.h"

#include "base/error.h"

typedef struct
{
  const guint8 *code;
  gsize length, at;
  const AgentContext *context;
  guint64 stack[AGENT_STACK + 2];
  guint depth;
  const char *problem; /* set by an operation that fails  */
  guint64 where;       /* address of the problem  */
  gboolean done;
} Machine;

/* V[0..consumed-1] are the values taken, deepest first; the results go to
   the same place.  ARG is the operand.  */
typedef void (*OpFunc) (Machine *m, guint64 *v, guint64 arg);

#define BINARY(name, expression)                                                                                       \
  static void op_##name (Machine *m G_GNUC_UNUSED, guint64 *v, guint64 arg G_GNUC_UNUSED)                              \
  {                                                                                                                    \
    guint64 a = v[0], b = v[1];                                                                                        \
    v[0] = (guint64) (expression);                                                                                     \
  }

BINARY (add, a + b)
BINARY (sub, a - b)
BINARY (mul, a *b)
BINARY (lsh, b < 64 ? a << b : 0)
BINARY (rsh_signed, (gint64) a >> MIN (b, 63))
BINARY (rsh_unsigned, b < 64 ? a >> b : 0)
BINARY (bit_and, a &b)
BINARY (bit_or, a | b)
BINARY (bit_xor, a ^ b)
BINARY (equal, a == b)
BINARY (less_signed, (gint64) a < (gint64) b)
BINARY (less_unsigned, a < b)

static gboolean
may_divide (Machine *m, guint64 by)
{
  if (by == 0)
    m->problem = "division by zero";
  return by != 0;
}

static void
op_div_signed (Machine *m, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  /* -1 apart, for the one quotient that overflows.  */
  if (may_divide (m, v[1]))
    v[0] = (gint64) v[1] == -1 ? 0 - v[0] : (guint64) ((gint64) v[0] / (gint64) v[1]);
}

static void
op_div_unsigned (Machine *m, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  if (may_divide (m, v[1]))
    v[0] = v[0] / v[1];
}

static void
op_rem_signed (Machine *m, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  if (may_divide (m, v[1]))
    v[0] = (gint64) v[1] == -1 ? 0 : (guint64) ((gint64) v[0] % (gint64) v[1]);
}

static void
op_rem_unsigned (Machine *m, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  if (may_divide (m, v[1]))
    v[0] = v[0] % v[1];
}

static void
op_log_not (Machine *m G_GNUC_UNUSED, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  v[0] = v[0] == 0;
}

static void
op_bit_not (Machine *m G_GNUC_UNUSED, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  v[0] = ~v[0];
}

static void
op_ext (Machine *m G_GNUC_UNUSED, guint64 *v, guint64 arg)
{
  if (arg > 0 && arg < 64)
    v[0] = (guint64) ((gint64) (v[0] << (64 - arg)) >> (64 - arg));
}

static void
op_zero_ext (Machine *m G_GNUC_UNUSED, guint64 *v, guint64 arg)
{
  if (arg < 64)
    v[0] &= (G_GUINT64_CONSTANT (1) << arg) - 1;
}

static void
read_value (Machine *m, guint64 *v, gsize length)
{
  guint64 value = 0;

  if (!m->context->read_memory (v[0], &value, length, m->context->user))
    {
      m->problem = "memory cannot be read";
      m->where = v[0];
    }
  v[0] = value;
}

static void
op_ref8 (Machine *m, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  read_value (m, v, 1);
}

static void
op_ref16 (Machine *m, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  read_value (m, v, 2);
}

static void
op_ref32 (Machine *m, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  read_value (m, v, 4);
}

static void
op_ref64 (Machine *m, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  read_value (m, v, 8);
}

static void
jump (Machine *m, guint64 to)
{
  if (to < m->length)
    m->at = (gsize) to;
  else
    m->problem = "jump out of the code";
}

static void
op_if_goto (Machine *m, guint64 *v, guint64 arg)
{
  if (v[0] != 0)
    jump (m, arg);
}

static void
op_goto (Machine *m, guint64 *v G_GNUC_UNUSED, guint64 arg)
{
  jump (m, arg);
}

static void
op_const (Machine *m G_GNUC_UNUSED, guint64 *v, guint64 arg)
{
  v[0] = arg;
}

static void
op_reg (Machine *m, guint64 *v, guint64 arg)
{
  v[0] = 0;
  if (!m->context->read_register ((guint) arg, &v[0], m->context->user))
    m->problem = "no such register";
}

static void
op_end (Machine *m, guint64 *v G_GNUC_UNUSED, guint64 arg G_GNUC_UNUSED)
{
  m->done = TRUE;
}

static void
op_dup (Machine *m G_GNUC_UNUSED, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  v[1] = v[0];
}

static void
op_swap (Machine *m G_GNUC_UNUSED, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  guint64 a = v[0];

  v[0] = v[1];
  v[1] = a;
}

static void
op_rot (Machine *m G_GNUC_UNUSED, guint64 *v, guint64 arg G_GNUC_UNUSED)
{
  guint64 top = v[2];

  v[2] = v[1];
  v[1] = v[0];
  v[0] = top;
}

static void
op_pick (Machine *m, guint64 *v, guint64 arg)
{
  /* V is one above the top.  */
  if (arg < m->depth)
    v[0] = m->stack[m->depth - 1 - arg];
  else
    m->problem = "stack underflow";
}

static void
op_nothing (Machine *m G_GNUC_UNUSED, guint64 *v G_GNUC_UNUSED, guint64 arg G_GNUC_UNUSED)
{
}

typedef struct
{
  guint8 operand, takes, leaves;
  OpFunc func; /* NULL: no such operation  */
} Op;

static const Op ops[256] = {
  [0x02] = { 0, 2, 1, op_add },
  [0x03] = { 0, 2, 1, op_sub },
  [0x04] = { 0, 2, 1, op_mul },
  [0x05] = { 0, 2, 1, op_div_signed },
  [0x06] = { 0, 2, 1, op_div_unsigned },
  [0x07] = { 0, 2, 1, op_rem_signed },
  [0x08] = { 0, 2, 1, op_rem_unsigned },
  [0x09] = { 0, 2, 1, op_lsh },
  [0x0a] = { 0, 2, 1, op_rsh_signed },
  [0x0b] = { 0, 2, 1, op_rsh_unsigned },
  [0x0c] = { 0, 2, 0, op_nothing }, /* trace  */
  [0x0d] = { 1, 1, 1, op_nothing }, /* trace_quick  */
  [0x0e] = { 0, 1, 1, op_log_not },
  [0x0f] = { 0, 2, 1, op_bit_and },
  [0x10] = { 0, 2, 1, op_bit_or },
  [0x11] = { 0, 2, 1, op_bit_xor },
  [0x12] = { 0, 1, 1, op_bit_not },
  [0x13] = { 0, 2, 1, op_equal },
  [0x14] = { 0, 2, 1, op_less_signed },
  [0x15] = { 0, 2, 1, op_less_unsigned },
  [0x16] = { 1, 1, 1, op_ext },
  [0x17] = { 0, 1, 1, op_ref8 },
  [0x18] = { 0, 1, 1, op_ref16 },
  [0x19] = { 0, 1, 1, op_ref32 },
  [0x1a] = { 0, 1, 1, op_ref64 },
  [0x20] = { 2, 1, 0, op_if_goto },
  [0x21] = { 2, 0, 0, op_goto },
  [0x22] = { 1, 0, 1, op_const },
  [0x23] = { 2, 0, 1, op_const },
  [0x24] = { 4, 0, 1, op_const },
  [0x25] = { 8, 0, 1, op_const },
  [0x26] = { 2, 0, 1, op_reg },
  [0x27] = { 0, 1, 1, op_end },
  [0x28] = { 0, 1, 2, op_dup },
  [0x29] = { 0, 1, 0, op_nothing }, /* pop  */
  [0x2a] = { 1, 1, 1, op_zero_ext },
  [0x2b] = { 0, 2, 2, op_swap },
  [0x30] = { 2, 1, 1, op_nothing }, /* trace16  */
  [0x32] = { 1, 0, 1, op_pick },
  [0x33] = { 0, 3, 3, op_rot },
};

static gboolean
take_operand (Machine *m, gsize length, guint64 *value_ret)
{
  *value_ret = 0;
  if (length > m->length - m->at)
    return FALSE;
  for (; length > 0; length--)
    *value_ret = *value_ret << 8 | m->code[m->at++];
  return TRUE;
}

/* Execute one operation.  */
static gboolean
step (Machine *m, GError **error)
{
  gsize start = m->at;
  const Op *op;
  guint64 operand;

  if (m->at >= m->length)
    return error_set (error, RETRO_ERROR_FORMAT, "agent expression: it has no end");
  op = &ops[m->code[m->at++]];
  if (op->func == NULL)
    return error_set (error, RETRO_ERROR_FORMAT, "agent expression: no operation 0x%02x", m->code[start]);
  if (!take_operand (m, op->operand, &operand))
    return error_set (error, RETRO_ERROR_FORMAT, "agent expression: it is cut off");
  if (m->depth < op->takes)
    return error_set (error, RETRO_ERROR_FORMAT, "agent expression: stack underflow");
  if (m->depth - op->takes + op->leaves > AGENT_STACK)
    return error_set (error, RETRO_ERROR_FORMAT, "agent expression: stack overflow");
  op->func (m, m->stack + m->depth - op->takes, operand);
  if (m->problem != NULL)
    return error_set (error, RETRO_ERROR_FAILED, "agent expression: %s (0x%" G_GINT64_MODIFIER "x)", m->problem,
                      m->where);
  m->depth = m->depth - op->takes + op->leaves;
  return TRUE;
}

gboolean
agent_eval (const guint8 *code, gsize length, const AgentContext *context, guint64 *value_ret, GError **error)
{
  Machine m = { .code = code, .length = length, .context = context };

  for (guint steps = 0; steps < AGENT_MAX_STEPS; steps++)
    {
      if (!step (&m, error))
        return FALSE;
      if (m.done)
        {
          *value_ret = m.stack[m.depth - 1];
          return TRUE;
        }
    }
  return error_set (error, RETRO_ERROR_FAILED, "agent expression: it does not end");
}
