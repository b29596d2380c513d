/* What the helper does when translated code leaves: see run.h.  */

#include "ticks/run.h"

#include "ticks/insn.h"

/* The program's registers at the exit's pc.  */
static void
land (Run *run, const Exit *e, gboolean arrived)
{
  unwind_registers (run, e->spilled, 0);
  run->regs.rip = e->pc;
  run->arrived = arrived;
}

static RunNext
exit_direct (Run *run, const Exit *e, GError **error)
{
  (void) error;
  land (run, e, FALSE);
  return RUN_GO;
}

static RunNext
exit_step (Run *run, const Exit *e, GError **error)
{
  land (run, e, TRUE);
  return run_step (run, error);
}

/* The branch was counted, but is yet to be executed.  */
static RunNext
exit_ticks (Run *run, const Exit *e, GError **error)
{
  run->left++;
  run->dirty = TRUE;
  return exit_step (run, e, error);
}

static RunNext
exit_break (Run *run, const Exit *e, GError **error)
{
  const Hook *hook = hooks_find (&run->code->hooks, e->pc);

  /* This arrival is not one of those that passed.  */
  if (hook != NULL)
    run->state->slots[hook->slot]++;
  land (run, e, FALSE);
  RunNext next = run_arrive (run, error);
  return next == RUN_GO ? rep_advance (run, error) : next;
}

static RunNext
exit_point (Run *run, const Exit *e, GError **error)
{
  land (run, e, FALSE);
  RunNext next = run_arrive (run, error);
  return next == RUN_GO ? rep_advance (run, error) : next;
}

static RunNext
exit_stale (Run *run, const Exit *e, GError **error)
{
  Block *block = cache_find (&run->code->cache, e->pc);

  (void) error;
  if (block != NULL)
    cache_kill (&run->code->cache, block);
  land (run, e, FALSE);
  return RUN_GO;
}

/* A transfer to a non-canonical address faults at the branch: take back
   what it has done, and let the processor do it.  */
static RunNext
undo_branch (Run *run, Addr site, GError **error)
{
  const Block *block;
  const Row *row = unwind_find (run, site, &block);
  guint8 bytes[INSN_MAX];
  Insn insn;

  if (row == NULL)
    return RUN_GO;
  Addr pc = block->pc + row->pc;
  gsize n = task_read_some (run->task, pc, bytes, sizeof bytes);
  if (!insn_decode (bytes, n, pc, &insn))
    return RUN_GO;
  if (insn.kind == INSN_RET)
    run->regs.rsp -= 8u + insn.ret_pop;
  else if (insn.kind == INSN_CALL_INDIRECT)
    run->regs.rsp += 8;
  if (run->code->cache.counts)
    run->left++;
  run->dirty = TRUE;
  run->regs.rip = pc;
  run->arrived = TRUE;
  return run_step (run, error);
}

static RunNext
exit_miss (Run *run, const Exit *e, GError **error)
{
  Addr target = run->regs.rcx, site = run->regs.rdx;

  unwind_registers (run, e->spilled, 0);
  run->regs.rip = target;
  run->arrived = FALSE;
  run->indirect = TRUE;
  if (target >= USER_END && target < 0xffff800000000000ull)
    return undo_branch (run, site, error);
  return RUN_GO;
}

typedef RunNext (*ExitFunc) (Run *run, const Exit *e, GError **error);

static const ExitFunc exits[] = {
  [EXIT_DIRECT] = exit_direct, [EXIT_TICKS] = exit_ticks, [EXIT_STEP] = exit_step, [EXIT_BREAK] = exit_break,
  [EXIT_POINT] = exit_point,   [EXIT_STALE] = exit_stale, [EXIT_MISS] = exit_miss,
};

RunNext
run_exit (Run *run, const Exit *e, GError **error)
{
  return exits[e->kind](run, e, error);
}
