/* The bridge, third part: expressions.

   An expression is parsed once, in the frame that the user looks at, and
   evaluated at many moments.  If it has locals, that frame (by its id: its
   place on the stack and its function) and its thread are looked for at
   each moment; else it is evaluated in the frame of the moment.  The
   evaluation of a condition that calls a function runs the program, in the
   helper's diversion; what such a call leaves behind when it fails (a
   dummy frame) is unwound by "unwindonsignal".  */

#include "bridge-private.h"

#include "ax-gdb.h"
#include "ax.h"
#include "block.h"
#include "breakpoint.h"
#include "expression.h"
#include "frame.h"
#include "gdbthread.h"
#include "gdbtypes.h"
#include "inferior.h"
#include "infrun.h"
#include "language.h"
#include "observable.h"
#include "parser-defs.h"
#include "process-stratum-target.h"
#include "regcache.h"
#include "remote.h"
#include "target.h"
#include "valprint.h"
#include "value.h"

struct _BridgeExpr
{
  expression_up exp;
  bool needs_frame = false;
  bool calls = false;
  frame_id frame = null_frame_id;
  ptid_t thread = null_ptid; /* where it was written  */
};

/* How many functions GDB has called.  */
static unsigned long n_calls;

/* After a call GDB puts all registers back, one packet for each; but not
   those that it knows to be unchanged.  So let it know them all, by one.  */
static void
fetch_registers (ptid_t ptid)
{
  process_stratum_target *target = current_inferior ()->process_target ();
  thread_info *thread = target == NULL ? NULL : find_thread_ptid (target, ptid);

  if (thread == NULL || thread->state != THREAD_STOPPED || !is_remote_target (target))
    return;
  bridge_guard (NULL, [&] () { target_fetch_registers (get_thread_regcache (thread), -1); });
}

void
bridge_watch_calls (void)
{
  gdb::observers::inferior_call_pre.attach ([] (ptid_t, CORE_ADDR) { n_calls++; }, "retro");
  gdb::observers::inferior_call_post.attach ([] (ptid_t ptid, CORE_ADDR) { fetch_registers (ptid); }, "retro");
}

/* ---- Parsing ---- */

BridgeExpr *
bridge_expr_new (const char *text, gboolean location, GError **error)
{
  BridgeExpr *expr = new BridgeExpr;
  gboolean good = bridge_guard (error, [&] () {
    innermost_block_tracker tracker;

    expr->exp = parse_expression (text, &tracker);
    expr->thread = inferior_ptid;
    if (location)
      {
        struct value *value = value_coerce_to_target (expr->exp->evaluate (nullptr, EVAL_NORMAL));

        if (VALUE_LVAL (value) != lval_memory)
          ::error (_("Attempt to take address of value not located in memory."));
        std::string place
          = current_language->watch_location_expression (lookup_pointer_type (value_type (value)),
                                                         value_address (value))
              .get ();
        expr->exp = parse_expression (place.c_str ());
      }
    else if (tracker.block () != NULL)
      {
        expr->needs_frame = true;
        expr->frame = get_frame_id (get_selected_frame ());
      }
  });

  if (good)
    return expr;
  delete expr;
  return NULL;
}

void
bridge_expr_free (BridgeExpr *expr)
{
  delete expr;
}

gboolean
bridge_expr_is_condition (const BridgeExpr *expr)
{
  static const enum exp_opcode conditions[]
    = { BINOP_EQUAL, BINOP_NOTEQUAL, BINOP_LESS, BINOP_GTR, BINOP_LEQ, BINOP_GEQ, BINOP_LOGICAL_AND,
        BINOP_LOGICAL_OR, UNOP_LOGICAL_NOT };

  for (enum exp_opcode opcode : conditions)
    if (expr->exp->first_opcode () == opcode)
      return TRUE;
  return FALSE;
}

gboolean
bridge_expr_needs_frame (const BridgeExpr *expr)
{
  return expr->needs_frame;
}

gboolean
bridge_expr_calls (const BridgeExpr *expr)
{
  return expr->calls;
}

/* ---- Evaluating ---- */

/* Select the thread and frame that EXPR wants; FALSE if they are not here.  */
static bool
select_scope (BridgeExpr *expr)
{
  process_stratum_target *target = current_inferior ()->process_target ();
  thread_info *thread = find_thread_ptid (target, expr->thread);

  if (!expr->needs_frame)
    {
      /* A thread-local variable means the thread that it was written in;
         a function is better called in the thread that runs.  */
      if (thread != NULL && !expr->calls && switch_to_thread_if_alive (thread))
        return true;
      return true;
    }
  if (thread == NULL || !switch_to_thread_if_alive (thread))
    return false;
  frame_info_ptr frame = frame_find_by_id (expr->frame);
  if (frame == NULL)
    return false;
  select_frame (frame);
  return true;
}

/* A line of the report has two values.  */
#define TEXT_MAX 72

static char *
format_value (struct value *value)
{
  struct value_print_options options;
  string_file stream;

  get_user_print_options (&options);
  options.print_max = std::min<unsigned int> (options.print_max, 32);
  options.prettyformat = Val_no_prettyformat;
  options.prettyformat_arrays = options.prettyformat_structs = false;
  common_val_print (value, &stream, 0, &options, current_language);
  std::string text = stream.string ();
  if (text.length () > TEXT_MAX)
    text = text.substr (0, TEXT_MAX - 3) + "...";
  return g_strdup (text.c_str ());
}

static void
evaluate (BridgeExpr *expr, BridgeResult *result_ret)
{
  scoped_value_mark mark;
  unsigned long before = n_calls;
  struct value *value;

  try
    {
      value = expr->exp->evaluate (nullptr, EVAL_NORMAL);
      value = coerce_ref (value);
      if (value_lazy (value))
        value_fetch_lazy (value);
    }
  catch (...)
    {
      expr->calls |= n_calls != before;
      throw;
    }
  expr->calls |= n_calls != before;
  if (value_optimized_out (value) || !value_entirely_available (value))
    ::error (_("value is not available here"));

  gdb::array_view<const gdb_byte> contents = value_contents (value);
  result_ret->bytes = g_bytes_new (contents.data (), contents.size ());
  result_ret->truth = (is_integral_type (value_type (value)) || is_floating_value (value)
                       || check_typedef (value_type (value))->code () == TYPE_CODE_PTR)
                      && value_true (value);
  result_ret->text = format_value (value);
}

/* Was the function that GDB called last stopped by Ctrl-C?  */
static bool
was_interrupted (void)
{
  process_stratum_target *target;
  ptid_t ptid;
  target_waitstatus status;

  get_last_target_status (&target, &ptid, &status);
  return status.kind () == TARGET_WAITKIND_STOPPED && status.sig () == GDB_SIGNAL_INT;
}

gboolean
bridge_expr_evaluate (BridgeExpr *expr, BridgeResult *result_ret, GError **error)
{
  bool in_scope = true;
  unsigned long before = n_calls;

  memset (result_ret, 0, sizeof *result_ret);
  gboolean good = bridge_guard (error, [&] () {
    scoped_restore_current_thread restore_thread;

    in_scope = select_scope (expr);
    if (in_scope)
      bridge_call_silently ([&] () { evaluate (expr, result_ret); });
  });
  if (good && !in_scope)
    return bridge_fail (error, BRIDGE_ERROR_FRAME, "its frame is not active");
  if (!good && n_calls != before && was_interrupted ())
    {
      if (error != NULL)
        g_clear_error (error);
      return bridge_fail (error, BRIDGE_ERROR_QUIT, "Quit");
    }
  return good;
}

void
bridge_result_clear (BridgeResult *result)
{
  g_clear_pointer (&result->bytes, g_bytes_unref);
  g_clear_pointer (&result->text, g_free);
}

/* ---- Agent bytecode ---- */

/* Only what fits an agent's stack element can be compared there.  */
static bool
fits_agent (struct type *type)
{
  switch (check_typedef (type)->code ())
    {
    case TYPE_CODE_INT:
    case TYPE_CODE_ENUM:
    case TYPE_CODE_BOOL:
    case TYPE_CODE_CHAR:
    case TYPE_CODE_PTR:
      return check_typedef (type)->length () <= 8;
    default:
      return false;
    }
}

/* The value in BYTES as it would be on the agent's stack.  */
static LONGEST
as_agent_value (struct type *type, GBytes *bytes)
{
  gsize length;
  const gdb_byte *data = (const gdb_byte *) g_bytes_get_data (bytes, &length);

  return unpack_long (type, data);
}

GBytes *
bridge_expr_compile (BridgeExpr *expr, const BridgeResult *now, GError **error)
{
  GBytes *code = NULL;

  if (expr->needs_frame)
    {
      bridge_fail (error, BRIDGE_ERROR_FAILED, "it has local variables; with \"-location\", one can be watched");
      return NULL;
    }
  bridge_guard (error, [&] () {
    agent_expr_up ax (new agent_expr (expr->exp->gdbarch, get_frame_pc (get_current_frame ())));
    struct axs_value value = {};

    expr->exp->op->generate_ax (expr->exp.get (), ax.get (), &value);
    if (value.optimized_out)
      ::error (_("value has been optimized out"));
    require_rvalue (ax.get (), &value);
    if (!fits_agent (value.type))
      ::error (_("the value is not a scalar"));
    if (!bridge_expr_is_condition (expr))
      {
        ax_const_l (ax.get (), as_agent_value (value.type, now->bytes));
        ax_simple (ax.get (), aop_equal);
      }
    else if (!now->truth)
      ax_simple (ax.get (), aop_log_not);
    ax_simple (ax.get (), aop_end);
    ax_reqs (ax.get ());
    if (ax->flaw != agent_flaw_none)
      ::error (_("the expression does not compile"));
    code = g_bytes_new (ax->buf, ax->len);
  });
  return code;
}
