/* From a cache address back to the program: see run.h, cache.h.

   Each block has rows, which say for a range of its code what instruction
   of the program it works for and which registers are in the state page:

     offset  pc   spilled        code
     0       100  -       CLEAN  mov [rip+scratch], rdx
     7       100  rdx            mov rdx, 0x7f...; cmp eax, [rdx]
     23      106  rdx            mov rdx, [rip+scratch]
     30      106  -       CLEAN  ...

   A fault is put down to the row it happens in.  A stop for other reasons
   (watch, interrupt) is carried on by single steps to the next CLEAN
   offset, which is a dozen instructions away at most.  */

#include "ticks/run.h"

#include "base/error.h"
#include "ticks/interrupt.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

const Row *
unwind_find (const Run *run, Addr addr, const Block **block_ret)
{
  const Block *block = cache_holds (addr) ? cache_find_code (&run->code->cache, addr) : NULL;

  *block_ret = block;
  if (block == NULL)
    return NULL;
  guint32 offset = (guint32) (addr - ARENA_CACHE) - block->start;
  const Row *found = NULL;
  for (guint i = 0; i < block->n_rows && block->rows[i].offset <= offset; i++)
    found = &block->rows[i];
  return found;
}

static unsigned long long *
get_register (Regs *regs, guint number)
{
  unsigned long long *const registers[] = { &regs->rax, &regs->rcx, &regs->rdx, &regs->rbx,
                                            &regs->rsp, &regs->rbp, &regs->rsi, &regs->rdi };

  g_assert (number < G_N_ELEMENTS (registers));
  return registers[number];
}

void
unwind_registers (Run *run, guint spilled, guint scratch)
{
  const State *state = run->state;

  if (spilled & SPILL_RCX)
    run->regs.rcx = state->rcx;
  if (spilled & SPILL_RAX)
    run->regs.rax = state->rax;
  if (spilled & SPILL_RDX)
    run->regs.rdx = state->rdx;
  if (spilled & SPILL_SCRATCH)
    *get_register (&run->regs, scratch) = state->scratch;
}

/* One instruction of the cache.  */
static RunNext
step_cache (Run *run, GError **error)
{
  int status;

  if (!task_step (run->task, &status, error) || !task_get_regs (run->task, &run->regs, error)
      || !run_read_state (run, error))
    return RUN_ERROR;
  if (interrupt_is_stop (status) || WSTOPSIG (status) == SIGTRAP)
    return RUN_GO;
  if (!task_get_siginfo (run->task, &run->result->siginfo, error))
    return RUN_ERROR;
  return run->result->siginfo.si_code <= 0 ? RUN_GO : unwind_fault (run, error);
}

RunNext
unwind_settle (Run *run, GError **error)
{
  while (cache_holds (run->regs.rip))
    {
      const Block *block;
      const Row *row = unwind_find (run, run->regs.rip, &block);

      if (row != NULL && (row->flags & ROW_CLEAN) && ARENA_CACHE + block->start + row->offset == run->regs.rip)
        {
          run->regs.rip = block->pc + row->pc;
          run->arrived = (row->flags & ROW_HOOK) == 0;
          return RUN_GO;
        }
      const Exit *e = cache_find_exit (&run->code->cache, run->regs.rip);
      if (e != NULL)
        return run_exit (run, e, error);
      RunNext next = step_cache (run, error);
      if (next != RUN_GO)
        return next;
    }
  return RUN_GO;
}

RunNext
unwind_fault (Run *run, GError **error)
{
  Addr addr = run->regs.rip;
  const Block *block;
  const Row *row = unwind_find (run, addr, &block);

  if (row == NULL)
    {
      error_set (error, RETRO_ERROR_FAILED, "signal %d in the code cache at 0x%" G_GINT64_MODIFIER "x",
                 run->result->siginfo.si_signo, addr);
      return RUN_ERROR;
    }
  unwind_registers (run, row->spilled, row->scratch);
  run->regs.rip = block->pc + row->pc;
  if (row->flags & ROW_HOOK)
    {
      run->arrived = FALSE;
      return run_arrive (run, error);
    }
  if (row->flags & ROW_COUNTED)
    {
      run->left++;
      run->dirty = TRUE;
    }
  if ((Addr) run->result->siginfo.si_addr == addr)
    run->result->siginfo.si_addr = (void *) run->regs.rip;
  run->result->stop = TICKS_STOP_FAULT;
  return RUN_STOP;
}
