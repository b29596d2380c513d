/* The bridge, fourth part: function calls while the direction is backward.

   GDB refuses them ("Cannot call functions in reverse mode.") since most
   targets could not run forward from there.  Ours can: a call runs forward
   in a throw-away copy.  GDB's test looks at the global
   `execution_direction', so all it takes is to have that say "forward"
   while an expression is evaluated.

   Where a user's expression is evaluated is known for breakpoints: their
   conditions are trees of operations, and we put an operation of our own
   on top, which sets the direction, evaluates what is below, and sets it
   back.  GDB parses conditions anew whenever it re-sets breakpoints, so we
   look again before each movement and after each event of the target.
   Commands such as print are wrapped.  */

#include "bridge-private.h"

#include <unordered_set>

#include "ax-gdb.h"
#include "breakpoint.h"
#include "cli/cli-cmds.h"
#include "cli/cli-decode.h"
#include "expression.h"
#include "infrun.h"
#include "observable.h"
#include "value.h"

namespace
{

/* Evaluates INNER with the direction forward.  */
class forward_operation : public expr::operation
{
public:
  explicit forward_operation (expr::operation_up &&inner) : m_inner (std::move (inner))
  {
  }

  value *
  evaluate (struct type *expect_type, struct expression *exp, enum noside noside) override
  {
    scoped_restore forward = make_scoped_restore (&execution_direction, EXEC_FORWARD);

    return m_inner->evaluate (expect_type, exp, noside);
  }

  bool
  constant_p () const override
  {
    return m_inner->constant_p ();
  }

  bool
  uses_objfile (struct objfile *objfile) const override
  {
    return m_inner->uses_objfile (objfile);
  }

  enum exp_opcode
  opcode () const override
  {
    return m_inner->opcode ();
  }

  void
  dump (struct ui_file *stream, int depth) const override
  {
    m_inner->dump (stream, depth);
  }

protected:
  void
  do_generate_ax (struct expression *exp, struct agent_expr *ax, struct axs_value *value,
                  struct type *cast_type) override
  {
    m_inner->generate_ax (exp, ax, value, cast_type);
  }

private:
  expr::operation_up m_inner;
};

}

static void
put_forward (expression *exp)
{
  if (exp != NULL && exp->op != NULL && dynamic_cast<forward_operation *> (exp->op.get ()) == NULL)
    exp->op.reset (new forward_operation (std::move (exp->op)));
}

static void
prepare_conditions (void)
{
  for (breakpoint *b : all_breakpoints ())
    {
      if (b->number <= 0)
        continue;
      if (is_watchpoint (b))
        put_forward (((watchpoint *) b)->cond_exp.get ());
      for (bp_location *location : b->locations ())
        put_forward (location->cond.get ());
    }
}

/* ---- Commands that evaluate ---- */

static std::unordered_map<const cmd_list_element *, cmd_func_ftype *> evaluators;

static void
run_evaluator (const char *args, int from_tty, cmd_list_element *c)
{
  scoped_restore forward = make_scoped_restore (&execution_direction, EXEC_FORWARD);

  evaluators.at (c) (args, from_tty, c);
}

static const char *const evaluator_names[] = { "print", "inspect", "call", "output", "printf", "eval", "x", "display",
                                               "ptype", "whatis", "explore" };

void
bridge_allow_calls_in_reverse (void)
{
  gdb::observers::about_to_proceed.attach (prepare_conditions, "retro");
  gdb::observers::target_post_wait.attach ([] (ptid_t) { prepare_conditions (); }, "retro");

  for (const char *name : evaluator_names)
    {
      cmd_list_element *c = lookup_cmd_exact (name, cmdlist);

      if (c == NULL || c->is_alias ())
        continue;
      evaluators[c] = c->func;
      c->func = run_evaluator;
    }
}
