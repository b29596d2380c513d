/* Single steps, and the oracle made of them: see step.h, ticks.h.

   Kernel facts: a step over pushf stores TF, which the kernel sets for the
   step, so it is taken out of memory again; a TF that is still there for
   the next step after popf or iret would be taken for the program's own,
   so stepping is switched off in between.  A repeated string instruction stops after each iteration.  A
   fault makes a stop with the signal instead of SIGTRAP; signals sent by
   others (si_code <= 0) mean nothing here and are dropped.  The first step
   after a system-call stop only reports the end of that call: nothing has
   moved then, and the step is repeated.  */

#include "ticks/step.h"

#include "base/error.h"
#include "ticks/insn.h"
#include "ticks/interrupt.h"
#include "ticks/stops.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define FLAG_TF 0x100ull

gboolean
step_set_watches (Task *task, const TicksRequest *request, GError **error)
{
  unsigned old;

  for (gsize i = 0; i < request->n_watches; i++)
    if (!task_set_debug (task, (int) i, request->watches[i].addr, request->watches[i].type, request->watches[i].length,
                         error))
      return FALSE;
  return request->n_watches == 0 || task_debug_hits (task, &old, error);
}

gboolean
step_clear_watches (Task *task, const TicksRequest *request, GError **error)
{
  gboolean ok = TRUE;

  for (gsize i = 0; i < request->n_watches; i++)
    ok = task_clear_debug (task, (int) i, ok ? error : NULL) && ok;
  return ok;
}

gboolean
step_watch_hit (Task *task, const TicksRequest *request, gsize *hit_ret)
{
  unsigned slots = 0;

  if (request->n_watches == 0 || !task_debug_hits (task, &slots, NULL))
    return FALSE;
  for (gsize i = 0; i < request->n_watches; i++)
    if (slots & (1u << i))
      {
        *hit_ret = i;
        return TRUE;
      }
  return FALSE;
}

/* pushf has stored the TF of our own step.  */
static gboolean
clean_pushed_flags (Task *task, const Regs *regs, GError **error)
{
  guint8 byte;

  if (!task_read (task, regs->rsp + 1, &byte, 1, error))
    return FALSE;
  byte &= (guint8) ~(FLAG_TF >> 8);
  return task_write (task, regs->rsp + 1, &byte, 1, error);
}

/* The step has stopped with SIG instead of a trap.  */
static Step
classify_signal (Task *task, TicksResult *result, GError **error)
{
  if (!task_get_siginfo (task, &result->siginfo, error))
    return STEP_ERROR;
  if (result->siginfo.si_code <= 0)
    return STEP_INTERRUPTED;
  result->stop = TICKS_STOP_FAULT;
  return STEP_STOP;
}

static Step
finish_step (Task *task, const TicksRequest *request, const Insn *insn, Addr pc, gboolean own_tf, const Regs *regs,
             TicksResult *result, GError **error)
{
  if (insn->pushf && !own_tf && !clean_pushed_flags (task, regs, error))
    return STEP_ERROR;
  if (insn->sets_flags && !interrupt_renew (task, error))
    return STEP_ERROR;
  result->ticks += insn->tick;
  if (step_watch_hit (task, request, &result->hit))
    {
      result->stop = TICKS_STOP_WATCH;
      return STEP_STOP;
    }
  if (own_tf)
    return classify_signal (task, result, error);
  return insn->rep && regs->rip == pc ? STEP_REP : STEP_DONE;
}

static gboolean
nothing_moved (const Regs *before, const Regs *after)
{
  Regs same = *before;

  same.orig_rax = after->orig_rax;
  return memcmp (&same, after, sizeof same) == 0;
}

Step
step_one (Task *task, const TicksRequest *request, Regs *regs, TicksResult *result, GError **error)
{
  guint8 bytes[INSN_MAX];
  Insn insn = { .kind = INSN_PLAIN };
  gboolean own_tf = (regs->eflags & FLAG_TF) != 0;
  Addr pc = regs->rip;
  Regs before = *regs;
  int status;

  gsize length = task_read_some (task, pc, bytes, sizeof bytes);
  if (!insn_decode (bytes, length, pc, &insn))
    memset (&insn, 0, sizeof insn);
  else if (insn.kind == INSN_SYSCALL || insn.kind == INSN_TSC)
    {
      result->stop = insn.kind == INSN_SYSCALL ? TICKS_STOP_SYSCALL : TICKS_STOP_TSC;
      return STEP_STOP;
    }
  if (!task_step (task, &status, error) || !task_get_regs (task, regs, error))
    return STEP_ERROR;
  if (interrupt_is_stop (status))
    return STEP_INTERRUPTED;
  if (WSTOPSIG (status) == SIGTRAP && nothing_moved (&before, regs) && !(insn.tick && insn.target == pc))
    return STEP_INTERRUPTED;
  if (WSTOPSIG (status) != SIGTRAP || insn.own_trap)
    return classify_signal (task, result, error);
  return finish_step (task, request, &insn, pc, own_tf, regs, result, error);
}

static Arrive
step_loop (Task *task, const TicksRequest *request, Stops *stops, Regs *regs, TicksResult *result, GError **error)
{
  gboolean arrived = request->break_first;

  if (request->max_ticks == 0)
    {
      result->stop = TICKS_STOP_TICKS;
      return ARRIVE_STOP;
    }
  for (;;)
    {
      /* As in run_on: not between an arrival and its instruction.  */
      if (arrived && interrupt_pending ())
        {
          result->stop = TICKS_STOP_INTERRUPT;
          return ARRIVE_STOP;
        }
      Arrive arrive = stops_arrive (stops, task, regs, arrived, result, error);
      TickCount before = result->ticks;

      if (arrive != ARRIVE_GO)
        return arrive;
      Step step;
      do
        step = step_one (task, request, regs, result, error);
      while (step == STEP_INTERRUPTED);
      if (step == STEP_STOP)
        return ARRIVE_STOP;
      if (step == STEP_ERROR)
        return ARRIVE_ERROR;
      if (result->ticks != before && result->ticks == request->max_ticks)
        {
          result->stop = TICKS_STOP_TICKS;
          return ARRIVE_STOP;
        }
      arrived = step == STEP_DONE;
    }
}

gboolean
ticks_step_run (Task *task, const TicksRequest *request, TicksResult *result_ret, GError **error)
{
  Stops stops;
  Regs regs;

  memset (result_ret, 0, sizeof *result_ret);
  if (!task_get_regs (task, &regs, error) || !step_set_watches (task, request, error))
    return FALSE;
  if (!interrupt_begin (task, request->max_usec, error))
    return FALSE;
  stops_init (&stops, request);
  Arrive arrive = step_loop (task, request, &stops, &regs, result_ret, error);
  stops_clear (&stops);
  gboolean ok = interrupt_end (task, arrive == ARRIVE_ERROR ? NULL : error);
  return step_clear_watches (task, request, ok && arrive != ARRIVE_ERROR ? error : NULL) && ok
         && arrive != ARRIVE_ERROR;
}
