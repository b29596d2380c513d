/* The loop of ticks_run: see run.h.  */

#include "ticks/run.h"

#include "base/error.h"
#include "ticks/insn.h"
#include "ticks/interrupt.h"
#include "ticks/step.h"
#include "ticks/translate.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define FLAG_TF 0x100ull

/* Enough for "no limit", and far from overflow.  */
#define NO_LIMIT (1ull << 62)

void
run_flush (Code *code)
{
  source_forget (&code->source, 0, G_MAXUINT64);
  cache_flush (&code->cache);
}

gboolean
run_set_regs (Run *run, GError **error)
{
  return task_set_regs (run->task, &run->regs, error);
}

gboolean
run_read_state (Run *run, GError **error)
{
  State *state = run->state;

  if (!task_read (run->task, ARENA_STATE, state, hooks_state_size (&run->code->hooks), error))
    return FALSE;
  run->left = state->ticks_left;
  return TRUE;
}

static gboolean
write_state (Run *run, GError **error)
{
  State *state = run->state;

  if (!run->dirty)
    return TRUE;
  run->dirty = FALSE;
  state->ticks_left = run->left;
  return task_write (run->task, ARENA_STATE, state, hooks_state_size (&run->code->hooks), error);
}

gboolean
run_fix_x87 (Run *run, GError **error)
{
  struct user_fpregs_struct fp;
  guint8 bytes[INSN_MAX];
  const Block *block;
  Insn insn;

  if (!run->code->cache.x87)
    return TRUE;
  if (ptrace (PTRACE_GETFPREGS, run->task->tid, 0, &fp) != 0)
    return error_set_errno (error, "cannot read floating point registers");
  const Row *row = unwind_find (run, fp.rip, &block);
  if (row == NULL)
    return TRUE;
  fp.rip = block->pc + row->pc;
  gsize n = task_read_some (run->task, fp.rip, bytes, sizeof bytes);
  if (insn_decode (bytes, n, fp.rip, &insn) && insn.x87)
    fp.fop = (guint16) ((insn.z.opcode & 7) << 8 | bytes[insn.z.raw.modrm.offset]);
  if (ptrace (PTRACE_SETFPREGS, run->task->tid, 0, &fp) != 0)
    return error_set_errno (error, "cannot set floating point registers");
  return TRUE;
}

RunNext
run_arrive (Run *run, GError **error)
{
  static const RunNext nexts[] = { [ARRIVE_GO] = RUN_GO, [ARRIVE_STOP] = RUN_STOP, [ARRIVE_ERROR] = RUN_ERROR };

  if (run->arrived)
    return RUN_GO;
  run->arrived = TRUE;
  if (stops_find (&run->stops, run->regs.rip) == NULL)
    return RUN_GO;
  if (!run_set_regs (run, error))
    return RUN_ERROR;
  hooks_collect (&run->code->hooks, &run->stops, run->state);
  Arrive arrive = stops_arrive (&run->stops, run->task, &run->regs, TRUE, run->result, error);
  hooks_reload (&run->code->hooks, &run->stops, run->state);
  run->dirty = TRUE;
  return nexts[arrive];
}

static gboolean
stores_x87 (Run *run)
{
  guint8 bytes[INSN_MAX];
  Insn insn;

  gsize n = task_read_some (run->task, run->regs.rip, bytes, sizeof bytes);
  return insn_decode (bytes, n, run->regs.rip, &insn) && insn.x87_store;
}

static RunNext
finish_step (Run *run, Step step, GError **error)
{
  Arrive arrive;

  switch (step)
    {
    case STEP_DONE:
      run->arrived = FALSE;
      return RUN_GO;
    case STEP_REP:
      arrive = stops_arrive (&run->stops, run->task, &run->regs, FALSE, run->result, error);
      return arrive == ARRIVE_GO ? RUN_GO : arrive == ARRIVE_STOP ? RUN_STOP : RUN_ERROR;
    case STEP_INTERRUPTED:
      return RUN_GO;
    case STEP_STOP:
      return RUN_STOP;
    default:
      return RUN_ERROR;
    }
}

RunNext
run_step (Run *run, GError **error)
{
  TickCount before = run->result->ticks;

  if (run->code->cache.x87 && stores_x87 (run) && !run_fix_x87 (run, error))
    return RUN_ERROR;
  if (!run_set_regs (run, error))
    return RUN_ERROR;
  Step step = step_one (run->task, run->request, &run->regs, run->result, error);
  if (run->result->ticks != before)
    {
      run->left--;
      run->dirty = TRUE;
    }
  RunNext next = finish_step (run, step, error);
  if (next == RUN_GO && run->left == 0)
    {
      run->result->stop = TICKS_STOP_TICKS;
      return RUN_STOP;
    }
  return next;
}

static Block *
get_block (Run *run)
{
  Code *code = run->code;
  Block *block = cache_find (&code->cache, run->regs.rip);

  /* Its guard is passed by.  */
  if (block != NULL && block->guarded && run->arrived && !source_is_current (&code->source, run->task, block))
    block = cache_find (&code->cache, run->regs.rip);
  if (block == NULL)
    {
      if (cache_is_full (&code->cache))
        run_flush (code);
      block = translate_block (&code->source, &code->hooks, run->task, run->regs.rip);
    }
  if (block != NULL && run->indirect)
    cache_add_indirect (&code->cache, block);
  run->indirect = FALSE;
  return block;
}

/* The task has stopped in the cache for no reason of ours.  */
static RunNext
handle_signal (Run *run, int status, GError **error)
{
  siginfo_t *info = &run->result->siginfo;
  RunNext next;

  if (interrupt_is_stop (status))
    return unwind_settle (run, error);
  if (WSTOPSIG (status) == SIGTRAP && step_watch_hit (run->task, run->request, &run->result->hit))
    {
      gsize hit = run->result->hit;
      const Block *block;
      const Row *row = unwind_find (run, run->regs.rip, &block);

      /* Our own reads of memory do not count.  */
      gboolean ours = row != NULL && (row->flags & ROW_HOOK) && !(row->flags & ROW_CLEAN);
      if ((next = unwind_settle (run, error)) != RUN_GO || ours)
        return next;
      run->result->hit = hit;
      run->result->stop = TICKS_STOP_WATCH;
      return RUN_STOP;
    }
  if (!task_get_siginfo (run->task, info, error))
    return RUN_ERROR;
  if (info->si_code <= 0)
    return unwind_settle (run, error);
  return unwind_fault (run, error);
}

static RunNext
run_cache (Run *run, const Block *block, GError **error)
{
  Regs raw = run->regs;
  int status;

  raw.rip = ARENA_CACHE + (run->arrived ? block->arrived_entry : block->entry);
  raw.orig_rax = ~0ull;
  if (!write_state (run, error) || !task_set_regs (run->task, &raw, error)
      || !task_resume (run->task, PTRACE_CONT, 0, error) || !task_wait (run->task, &status, error)
      || !task_get_regs (run->task, &run->regs, error) || !run_read_state (run, error))
    return RUN_ERROR;
  if (WSTOPSIG (status) == SIGTRAP && status >> 16 == 0)
    {
      const Exit *e = cache_find_exit (&run->code->cache, run->regs.rip - 1);

      if (e != NULL)
        return run_exit (run, e, error);
    }
  return handle_signal (run, status, error);
}

static RunNext
run_on (Run *run, GError **error)
{
  RunNext next;

  if (interrupt_pending ())
    {
      /* Not between an arrival, which was counted, and its instruction: whoever
         goes on from there would count it again.  */
      if (run->arrived)
        return run_step (run, error);
      run->result->stop = TICKS_STOP_INTERRUPT;
      return RUN_STOP;
    }
  Block *block = (run->regs.eflags & FLAG_TF) ? NULL : get_block (run);
  if (block != NULL)
    return run_cache (run, block, error);
  if ((next = run_arrive (run, error)) != RUN_GO)
    return next;
  return run_step (run, error);
}

static RunNext
run_loop (Run *run, GError **error)
{
  Code *code = run->code;
  RunNext next = RUN_GO;
  Arrive arrive;

  if (run->left == 0)
    {
      run->result->stop = TICKS_STOP_TICKS;
      return RUN_STOP;
    }
  arrive = stops_arrive (&run->stops, run->task, &run->regs, run->request->break_first, run->result, error);
  if (arrive != ARRIVE_GO)
    return arrive == ARRIVE_STOP ? RUN_STOP : RUN_ERROR;
  run->arrived = TRUE;
  if (!source_sync (&code->source, run->task, run->request->space, error))
    return RUN_ERROR;
  memset (run->state, 0, STATE_HEAD);
  if (!hooks_prepare (&code->hooks, &run->stops, run->task, run->state))
    {
      error_set (error, RETRO_ERROR_LIMIT, "too many breakpoints");
      return RUN_ERROR;
    }
  run->dirty = TRUE;
  /* The arrival here is over; iterations to the point may lie ahead.  */
  next = rep_advance (run, error);
  while (next == RUN_GO)
    next = run_on (run, error);
  hooks_collect (&code->hooks, &run->stops, run->state);
  return next;
}

static gboolean
run_finish (Run *run, guint64 orig_rax, GError **error)
{
  run->regs.orig_rax = orig_rax;
  return run_set_regs (run, error) && run_fix_x87 (run, error);
}

gboolean
ticks_run (Ticks *ticks, Task *task, const TicksRequest *request, TicksResult *result_ret, GError **error)
{
  Run run = { .code = &ticks->codes[request->uncounted ? CODE_UNCOUNTED : CODE_COUNTED],
              .state = &ticks->state,
              .task = task,
              .request = request,
              .result = result_ret,
              .left = request->uncounted ? NO_LIMIT : MIN (request->max_ticks, NO_LIMIT) };
  TickCount start = run.left;

  memset (result_ret, 0, sizeof *result_ret);
  if (!task_get_regs (task, &run.regs, error) || !step_set_watches (task, request, error)
      || !interrupt_begin (task, request->max_usec, error))
    return FALSE;
  guint64 orig_rax = run.regs.orig_rax;
  stops_init (&run.stops, request);
  gboolean ok = run_loop (&run, error) == RUN_STOP;
  stops_clear (&run.stops);
  result_ret->ticks = start - run.left;
  ok = interrupt_end (task, ok ? error : NULL) && ok;
  ok = step_clear_watches (task, request, ok ? error : NULL) && ok;
  return run_finish (&run, orig_rax, ok ? error : NULL) && ok;
}
