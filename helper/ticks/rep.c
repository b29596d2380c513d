/* Points between the iterations of a repeated string instruction.

   The recorder may interrupt a long `rep movs' anywhere; such a point has
   the pc of the instruction and registers on the way.  Translated code
   runs all iterations at once, so when the instruction is about to start
   with registers from which the point can be reached, exactly the
   iterations up to the point are run, with rcx lowered, and the point is
   compared then.  */

#include "ticks/run.h"

#include "base/error.h"
#include "ticks/emit.h"
#include "ticks/insn.h"
#include "ticks/interrupt.h"
#include "ticks/step.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

#define FLAG_ZF 0x40ull
#define FLAG_DF 0x400ull

/* Does REG, on its way by SIZE a time, come from NOW to LATER after N?  */
static gboolean
may_move (guint64 now, guint64 later, gint64 size, guint64 n)
{
  return now == later || now + n * (guint64) size == later;
}

/* The number of iterations to the point, 0 if it cannot lie ahead.  */
static guint64
get_iterations (const Run *run, const Insn *insn)
{
  const Regs *now = &run->regs, *then = &run->request->point->regs;
  gint64 size = insn->z.operand_width / 8;
  guint64 n = now->rcx - then->rcx;

  if (now->eflags & FLAG_DF)
    size = -size;
  if (then->rcx == 0 || then->rcx >= now->rcx || insn->z.address_width != 64)
    return 0;
  return may_move (now->rsi, then->rsi, size, n) && may_move (now->rdi, then->rdi, size, n) ? n : 0;
}

/* Has the last iteration ended the instruction (scas, cmps)?  */
static gboolean
is_over (const Insn *insn, const Regs *regs)
{
  if (insn->z.attributes & ZYDIS_ATTRIB_HAS_REPE)
    return (regs->eflags & FLAG_ZF) == 0;
  if (insn->z.attributes & ZYDIS_ATTRIB_HAS_REPNE)
    return (regs->eflags & FLAG_ZF) != 0;
  return FALSE;
}

/* Run BYTES with rcx = N out of the cache's free space.  */
static RunNext
run_iterations (Run *run, const Insn *insn, const guint8 *bytes, guint64 n, GError **error)
{
  Cache *cache = &run->code->cache;
  Emit e = { cache->base + cache->used, cache->base };
  Addr pc = run->regs.rip, start = emit_addr (&e, e.p);
  guint64 behind = run->regs.rcx - n;
  Regs raw = run->regs;
  int status;

  emit_bytes (&e, bytes, insn->length);
  emit_byte (&e, OP_INT3);
  raw.rip = start;
  raw.rcx = n;
  raw.orig_rax = ~0ull;
  if (!task_set_regs (run->task, &raw, error) || !task_resume (run->task, PTRACE_CONT, 0, error)
      || !task_wait (run->task, &status, error) || !task_get_regs (run->task, &run->regs, error))
    return RUN_ERROR;
  gboolean through = run->regs.rip != start;
  run->regs.rcx += behind;
  run->regs.rip = through && is_over (insn, &run->regs) ? pc + insn->length : pc;
  run->arrived = run->regs.rip == pc;
  if (interrupt_is_stop (status))
    return RUN_GO;
  if (step_watch_hit (run->task, run->request, &run->result->hit))
    {
      run->result->stop = TICKS_STOP_WATCH;
      return RUN_STOP;
    }
  if (through)
    return RUN_GO;
  if (!task_get_siginfo (run->task, &run->result->siginfo, error))
    return RUN_ERROR;
  run->result->stop = TICKS_STOP_FAULT;
  return run->result->siginfo.si_code <= 0 ? RUN_GO : RUN_STOP;
}

RunNext
rep_advance (Run *run, GError **error)
{
  guint8 bytes[INSN_MAX];
  Insn insn;

  const StopGroup *group = stops_find (&run->stops, run->regs.rip);
  if (group == NULL || !group->point)
    return RUN_GO;
  gsize length = task_read_some (run->task, run->regs.rip, bytes, sizeof bytes);
  if (!insn_decode (bytes, length, run->regs.rip, &insn) || !insn.rep || insn.rip_relative)
    return RUN_GO;
  guint64 n = get_iterations (run, &insn);
  if (n == 0)
    return RUN_GO;
  RunNext next = run_iterations (run, &insn, bytes, n, error);
  if (next != RUN_GO || !run->arrived || !run_set_regs (run, error))
    return next;
  Arrive arrive = stops_arrive (&run->stops, run->task, &run->regs, FALSE, run->result, error);
  return arrive == ARRIVE_GO ? RUN_GO : arrive == ARRIVE_STOP ? RUN_STOP : RUN_ERROR;
}
