/* The debugger's breakpoints, watchpoints and steps in the live program.

   Breakpoints are int3 in the program's memory only while recorder_run
   runs; what the log, a copy or a child of the program sees never has
   them.  Since one thread runs at a time, a breakpoint is stepped over by
   taking it out for one instruction.

   A system call instruction is never single-stepped: the step would hide
   its stops from us.  It runs with PTRACE_SYSCALL, and its event is the
   end of the step.

   Arrivals: every arrival at a breakpoint stops here, and every
   instruction of a stepped thread does; so the number of arrivals at such
   a pc since the last event is known and names a stop exactly.  A repeated
   string instruction is one arrival, though a step does one iteration; a
   stop between two iterations has no number.  */

#include "record/internal.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* Some watch has triggered, it is not known which.  */
#define UNKNOWN_SLOT 16u

typedef struct
{
  Addr addr;
  guint8 original;
  gboolean in; /* has been inserted before  */
  const LiveBreak *request;
} Inserted;

static GArray *
inserted (Recorder *r)
{
  if (r->live == NULL)
    r->live = g_array_new (FALSE, FALSE, sizeof (Inserted));
  return r->live;
}

static Inserted *
find_break (Recorder *r, Addr addr)
{
  GArray *list = r->live;

  for (guint i = 0; list != NULL && i < list->len; i++)
    if (g_array_index (list, Inserted, i).addr == addr)
      return &g_array_index (list, Inserted, i);
  return NULL;
}

static gboolean
put_byte (const Task *task, Addr addr, guint8 byte)
{
  return task_write (task, addr, &byte, 1, NULL);
}

void
live_clear (Recorder *r)
{
  g_clear_pointer ((GArray **) &r->live, g_array_unref);
}

gboolean
live_clean (Recorder *r, const Task *task, GError **error)
{
  GArray *list = r->live;

  (void) error;
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      const Inserted *bp = &g_array_index (list, Inserted, i);
      guint8 byte;

      /* There may have been nothing to put it into, or it is gone with what
         was mapped there.  */
      if (bp->in && task_read_some (task, bp->addr, &byte, 1) == 1 && byte == 0xcc)
        put_byte (task, bp->addr, bp->original);
    }
  return TRUE;
}

gboolean
live_dirty (Recorder *r, const Task *task, GError **error)
{
  GArray *list = r->live;

  (void) error;
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      Inserted *bp = &g_array_index (list, Inserted, i);

      /* The program may have written or unmapped it.  */
      guint8 byte;

      if (task_read_some (task, bp->addr, &byte, 1) != 1 || (byte == 0xcc && bp->in))
        continue;
      bp->original = byte;
      bp->in = TRUE;
      put_byte (task, bp->addr, 0xcc);
    }
  return TRUE;
}

/* A thread that can be used to reach the program's memory.  */
static Thread *
any_thread (Recorder *r)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];

      if (t->state != THREAD_GONE && t->task.mem_fd >= 0)
        return t;
    }
  return NULL;
}

/* ---- Watches ---- */

static gboolean
set_watches (Thread *t, const LiveRequest *request, GError **error)
{
  for (gsize i = 0; i < 4; i++)
    {
      const LiveWatch *watch = &request->watches[i];

      if (i < request->n_watches ? !task_set_debug (&t->task, (int) i, watch->addr, watch->type, watch->length, error)
                                 : !task_clear_debug (&t->task, (int) i, error))
        return FALSE;
    }
  t->watched = request->n_watches;
  return TRUE;
}

/* ---- A run ---- */

gboolean
live_begin (Recorder *r, GError **error)
{
  const LiveRequest *request = r->request;
  GArray *list = inserted (r);
  Thread *t = any_thread (r);

  g_array_set_size (list, 0);
  for (gsize i = 0; i < request->n_breaks; i++)
    {
      Inserted bp = { .addr = request->breaks[i].addr, .request = &request->breaks[i] };

      if (find_break (r, bp.addr) == NULL)
        g_array_append_val (list, bp);
    }
  return t == NULL || live_dirty (r, &t->task, error);
}

gboolean
live_end (Recorder *r, GError **error)
{
  Thread *t = any_thread (r);

  if (t != NULL && !live_clean (r, &t->task, error))
    return FALSE;
  live_clear (r);
  return TRUE;
}

/* EVENT, about to be logged, changes memory that the CPU cannot watch for
   us, since the kernel wrote it; it may bring memory for breakpoints that
   had none.  */
void
live_note_event (Recorder *r, const Event *event)
{
  const LiveRequest *request = r->request;

  if (event->ops != NULL && r->live != NULL)
    r->reinsert = TRUE;
  if (request == NULL || r->stopped || event->kind == EV_IMAGE || event->kind == EV_MEMORY)
    return;
  for (gsize i = 0; i < request->n_watches; i++)
    {
      Addr start = request->watches[i].addr, end = start + (gsize) request->watches[i].length;
      gboolean hit = FALSE;

      for (guint k = 0; event->writes != NULL && k < event->writes->len && !hit; k++)
        {
          const MemWrite *write = &g_array_index (event->writes, MemWrite, k);

          hit = write->addr < end && write->addr + g_bytes_get_size (write->data) > start;
        }
      for (guint k = 0; event->ops != NULL && k < event->ops->len && !hit; k++)
        {
          const MapOp *op = &g_array_index (event->ops, MapOp, k);

          hit = op->addr < end && op->addr + op->length > start;
        }
      if (!hit)
        continue;
      recorder_stop (r, LIVE_WATCH, NULL);
      r->stop->thread = event->thread;
      r->stop->addr = start;
      return;
    }
}

static void
count_arrival (Thread *t, Addr pc)
{
  if (t->arrivals == NULL)
    t->arrivals = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  gpointer old = g_hash_table_lookup (t->arrivals, &pc);
  g_hash_table_insert (t->arrivals, g_memdup2 (&pc, sizeof pc), GSIZE_TO_POINTER (GPOINTER_TO_SIZE (old) + 1));
}

guint64
live_arrivals (Recorder *r, const Thread *t, Addr pc)
{
  if (t->arrivals == NULL || t->in_rep || (find_break (r, pc) == NULL && !t->only_stepped))
    return 0;
  return GPOINTER_TO_SIZE (g_hash_table_lookup (t->arrivals, &pc));
}

static gboolean
stop_at (Recorder *r, Thread *t, LiveStopKind kind, Addr addr, GError **error)
{
  Regs regs;

  if (!recorder_point (r, t, POINT_STOP, error) || !task_get_regs (&t->task, &regs, error))
    return FALSE;
  recorder_stop (r, kind, t);
  r->stop->addr = addr;
  t->reported_pc = regs.rip;
  return TRUE;
}

/* T has arrived at PC, where a breakpoint is: is it to stop there?  */
static gboolean
break_stops (Recorder *r, Thread *t, Addr pc, const Regs *regs)
{
  Inserted *bp = find_break (r, pc);
  const LiveBreak *request = bp != NULL ? bp->request : NULL;

  return request != NULL
         && (request->condition == NULL || request->condition (&t->task, t->no, regs, request->user));
}

/* T has made a step (by itself or through an event) and stands at REGS.  */
static gboolean
step_done (Recorder *r, Thread *t, const Regs *regs, GError **error)
{
  const LiveRequest *request = r->request;

  if (find_break (r, regs->rip) != NULL && break_stops (r, t, regs->rip, regs))
    return stop_at (r, t, LIVE_BREAK, regs->rip, error);
  if (request->range_end > request->range_start && regs->rip >= request->range_start
      && regs->rip < request->range_end)
    return TRUE;
  return stop_at (r, t, LIVE_STEP, regs->rip, error);
}

static gboolean
at_syscall (const Task *task, Addr pc, const Inserted *bp)
{
  guint8 code[2];

  if (task_read_some (task, pc, code, sizeof code) != sizeof code)
    return FALSE;
  return (bp != NULL ? bp->original : code[0]) == 0x0f && code[1] == 0x05;
}

/* Has a step of T that ended at PC done one iteration of a string
   instruction?  */
static gboolean
is_iteration (Recorder *r, const Thread *t, Addr pc)
{
  static const guint8 prefixes[] = { 0x66, 0x67, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65 };
  const Inserted *bp = find_break (r, pc);
  guint8 code[4] = { 0 };
  gsize i = 0;

  if (pc != t->step_pc)
    return FALSE;
  task_read_some (&t->task, pc, code, sizeof code);
  if (bp != NULL && bp->in)
    code[0] = bp->original;
  while (i < sizeof code - 1 && memchr (prefixes, code[i], sizeof prefixes) != NULL)
    i++;
  return code[i] == 0xf2 || code[i] == 0xf3;
}

/* Take the breakpoint BP out, step T, put it back.  */
static gboolean
step_over (Recorder *r, Thread *t, Inserted *bp, int *status_ret, GError **error)
{
  Addr addr = bp->addr;
  pid_t tid;

  put_byte (&t->task, addr, bp->original);
  t->state = THREAD_RUNNING;
  t->moved = TRUE;
  t->stepping_over = TRUE;
  if (!task_resume (&t->task, PTRACE_SINGLESTEP, 0, error))
    return FALSE;
  do
    {
      if (!wait_next (r, t->task.tid, 0, &tid, status_ret, error))
        return FALSE;
      if (tid == -1)
        r->want_stop = TRUE;
    }
  while (tid != t->task.tid);
  if (WIFSTOPPED (*status_ret) && (bp = find_break (r, addr)) != NULL
      && task_read_some (&t->task, addr, &bp->original, 1) == 1)
    put_byte (&t->task, addr, 0xcc);
  return TRUE;
}

gboolean
live_prepare (Recorder *r, Thread *t, int *request_ret, int *status_ret, GError **error)
{
  const LiveRequest *request = r->request;
  GArray *list = r->live;
  gboolean stepping = request->step == t->no;
  Regs regs;

  if (t->watched != request->n_watches || request->n_watches > 0)
    if (!set_watches (t, request, error))
      return FALSE;
  if (!stepping && (list == NULL || list->len == 0))
    return TRUE;
  if (r->reinsert && !live_dirty (r, &t->task, error))
    return FALSE;
  r->reinsert = FALSE;
  if (!task_get_regs (&t->task, &regs, error))
    return FALSE;
  if (!t->moved)
    {
      /* Once, however often it is made ready here.  */
      if (t->arrivals == NULL || g_hash_table_size (t->arrivals) == 0)
        count_arrival (t, regs.rip);
      t->only_stepped = TRUE;
      if (t->reported_pc != regs.rip && find_break (r, regs.rip) != NULL && break_stops (r, t, regs.rip, &regs))
        return stop_at (r, t, LIVE_BREAK, regs.rip, error);
      if (stepping && t->event_step)
        {
          /* The last step ended in an event.  */
          t->event_step = FALSE;
          if (!step_done (r, t, &regs, error) || r->stopped)
            return r->stopped;
        }
    }
  t->reported_pc = 0;
  t->step_pc = regs.rip;
  t->in_rep = t->stepping_over = FALSE;
  Inserted *bp = find_break (r, regs.rip);
  if (at_syscall (&t->task, regs.rip, bp))
    {
      t->event_step = stepping;
      if (bp != NULL)
        {
          /* The call's entry stop comes at once; put it back there.  */
          put_byte (&t->task, bp->addr, bp->original);
          r->reinsert = TRUE;
        }
      return TRUE;
    }
  t->event_step = stepping;
  if (bp != NULL)
    return step_over (r, t, bp, status_ret, error);
  if (stepping)
    *request_ret = PTRACE_SINGLESTEP;
  else
    t->only_stepped = FALSE;
  return TRUE;
}

/* What made T trap?  A virtual machine may lose the status register that
   says it; then a trap that neither the program's code nor we have asked
   for is what we had set up.  */
static gboolean
find_cause (Recorder *r, Thread *t, const siginfo_t *info, const Regs *regs, gboolean *stepped_ret, unsigned *slots_ret,
            GError **error)
{
  gboolean steps = r->request->step == t->no || t->stepping_over;
  guint8 code[2] = { 0 };

  *slots_ret = 0;
  *stepped_ret = info->si_code == TRAP_TRACE && steps;
  if (t->watched > 0 && !task_debug_hits (&t->task, slots_ret, error))
    return FALSE;
  if (*stepped_ret || *slots_ret != 0 || (info->si_code != TRAP_BRKPT && info->si_code != TRAP_HWBKPT))
    return TRUE;
  /* int1 and int3 are the program's own.  */
  task_read_some (&t->task, regs->rip - 2, code, sizeof code);
  if (code[1] == 0xf1 || code[1] == 0xcc || (code[0] == 0xcd && code[1] == 3))
    return TRUE;
  *stepped_ret = steps;
  if (t->watched > 0)
    *slots_ret = UNKNOWN_SLOT;
  return TRUE;
}

gboolean
live_trapped (Recorder *r, Thread *t, gboolean *mine_ret, GError **error)
{
  gboolean stepped;
  unsigned slots;
  siginfo_t info;
  Regs regs;

  *mine_ret = FALSE;
  if (t->state != THREAD_RUNNING || r->request == NULL)
    return TRUE;
  if (!task_get_siginfo (&t->task, &info, error) || !task_get_regs (&t->task, &regs, error))
    return FALSE;
  Inserted *bp = info.si_code == SI_KERNEL || info.si_code == TRAP_BRKPT ? find_break (r, regs.rip - 1) : NULL;
  if (!find_cause (r, t, &info, &regs, &stepped, &slots, error))
    return FALSE;
  if (bp == NULL && !stepped && slots == 0)
    return TRUE;
  *mine_ret = TRUE;
  t->state = THREAD_READY;
  if (bp != NULL)
    {
      regs.rip -= 1;
      if (!task_set_regs (&t->task, &regs, error))
        return FALSE;
      count_arrival (t, regs.rip);
      if (break_stops (r, t, regs.rip, &regs))
        return stop_at (r, t, LIVE_BREAK, regs.rip, error);
      return TRUE;
    }
  gboolean over = t->stepping_over && r->request->step != t->no;
  t->stepping_over = FALSE;
  t->in_rep = stepped && is_iteration (r, t, regs.rip);
  /* Of a step over a breakpoint only what other breakpoints see counts.  */
  gboolean arrived = stepped && !t->in_rep && (!over || find_break (r, regs.rip) != NULL);
  if (arrived)
    count_arrival (t, regs.rip);
  for (unsigned i = 0; i < r->request->n_watches; i++)
    if ((slots & (1u << i)) != 0)
      return stop_at (r, t, LIVE_WATCH, r->request->watches[i].addr, error);
  if (slots == UNKNOWN_SLOT && !stepped)
    return stop_at (r, t, LIVE_WATCH, 0, error);
  t->event_step = FALSE;
  if (over && arrived && break_stops (r, t, regs.rip, &regs))
    return stop_at (r, t, LIVE_BREAK, regs.rip, error);
  return stepped && !over ? step_done (r, t, &regs, error) : TRUE;
}
