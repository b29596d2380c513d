/* Part of a stretch, with ticks counted: what a timeline moves by.

   The end of the stretch is found whatever the caller looks for: a system
   call, rdtsc or fault stops the run by itself, a point is added to the
   request.  A point that is named by arrivals is counted from the start
   of the stretch; runs may begin inside it, so each adds the arrivals that
   it passed to replay->arrivals.

   Of the place where a run stops, the arrival there was counted by
   ticks_run only if it is a breakpoint's (stops.h has the order).  */

#include "replay/private.h"

#include "base/error.h"
#include "record/point.h"
#include "ticks/step.h"
#include "trace/trapped.h"

#include <string.h>

/* The point of the next event, if it is one.  */
static const PointId *
next_point (const Event *event)
{
  return event != NULL && event->kind == EV_POINT ? event->point : NULL;
}

/* Are we at the counted POINT with LEFT arrivals to come?  */
static gboolean
is_counted_here (const Replay *replay, const PointId *point, guint64 left, const Regs *regs)
{
  return left == 1 && regs->rip == point->regs.rip && !replay->in_rep && point_match_regs (point, regs);
}

static gboolean
stretch_diverged (Replay *replay, const Event *event, TicksStop stop, const Regs *regs, GError **error)
{
  static const char *const names[] = {
    [TICKS_STOP_SYSCALL] = "a system call", [TICKS_STOP_TSC] = "rdtsc or cpuid", [TICKS_STOP_FAULT] = "a fault",
  };

  g_autofree char *expected = replay_describe_event (event);

  return replay_diverged (replay, event, error, "the log has %s, the program arrives at %s at 0x%llx", expected,
                          names[stop], regs->rip);
}

/* Does STOP, which ends a stretch, agree with EVENT?  */
static gboolean
is_due (const Replay *replay, const Event *event, const TicksResult *result, const Regs *regs)
{
  switch (event->kind)
    {
    case EV_SYSCALL:
    case EV_ENTER:
      return result->stop == TICKS_STOP_SYSCALL;
    case EV_TSC:
      /* cpuid is left to the CPU, for it need not trap.  */
      return result->stop == TICKS_STOP_TSC
             || (result->stop == TICKS_STOP_FAULT && result->siginfo.si_signo == SIGSEGV
                 && trapped_at (&replay->task, regs->rip) != TRAPPED_NOT);
    case EV_SIGNAL:
      return (result->stop == TICKS_STOP_FAULT && result->siginfo.si_signo == event->signo)
             || (result->stop == TICKS_STOP_TSC && event->signo == SIGSEGV);
    default:
      return result->stop == TICKS_STOP_POINT;
    }
}

/* Common beginning: *EVENT_RET is NULL when the event is due at once.  */
static gboolean
begin (Replay *replay, TicksResult *result_ret, gboolean *due_ret, const Event **event_ret, Regs *regs_ret,
       guint64 *left_ret, GError **error)
{
  g_autoptr (GError) failed = NULL;
  const Event *event = replay_peek (replay, &failed);
  const PointId *point;

  memset (result_ret, 0, sizeof *result_ret);
  result_ret->stop = TICKS_STOP_POINT;
  *event_ret = NULL;
  *due_ret = TRUE;
  *left_ret = 0;
  if (failed != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failed));
      return FALSE;
    }
  if (event == NULL || !replay_event_runs (event))
    return TRUE;
  if (!replay_select (replay, error) || !replay_get_regs (replay, event->thread, regs_ret, error))
    return FALSE;
  point = next_point (event);
  if (event->kind == EV_POINT && point == NULL)
    return error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " has no point", replay->event);
  if (point != NULL && point->arrivals != 0)
    {
      if (point->arrivals <= replay->arrivals)
        return replay_diverged (replay, event, error, "the place of the point was passed");
      *left_ret = point->arrivals - replay->arrivals;
      if (is_counted_here (replay, point, *left_ret, regs_ret))
        return TRUE;
    }
  else if (point != NULL && regs_ret->rip == point->regs.rip && point_match_regs (point, regs_ret)
           && point_match (point, &replay->task, replay->space, regs_ret))
    return TRUE;
  *event_ret = event;
  *due_ret = FALSE;
  return TRUE;
}

/* Book-keeping after a run: PASSED arrivals at the point.  */
static gboolean
finish (Replay *replay, const Event *event, const Regs *before, const TicksResult *result, gboolean *due_ret,
        GError **error)
{
  Regs after;

  if (!task_get_regs (&replay->task, &after, error))
    return FALSE;
  if (result->ticks != 0 || after.rip != before->rip || after.rcx != before->rcx)
    replay->inside = TRUE;
  if (result->stop == TICKS_STOP_SYSCALL || result->stop == TICKS_STOP_TSC || result->stop == TICKS_STOP_FAULT
      || result->stop == TICKS_STOP_POINT)
    {
      *due_ret = is_due (replay, event, result, &after);
      return *due_ret || stretch_diverged (replay, event, result->stop, &after, error);
    }
  return TRUE;
}

gboolean
replay_run (Replay *replay, const TicksRequest *request, TicksResult *result_ret, gboolean *due_ret, GError **error)
{
  const Event *event;
  guint64 left;
  Regs before, after;

  if (!begin (replay, result_ret, due_ret, &event, &before, &left, error))
    return FALSE;
  if (*due_ret)
    return TRUE;

  const PointId *point = next_point (event);
  g_autofree TicksBreak *breaks = g_new0 (TicksBreak, request->n_breaks + 1);
  TicksRequest full = *request;
  PointId counted;
  gboolean here = left != 0 && before.rip == point->regs.rip && !replay->in_rep && !request->break_first;
  Ticks *ticks = replay_ticks (replay, error);

  if (ticks == NULL)
    return FALSE;
  full.space = replay->space;
  full.point = point;
  if (left != 0)
    {
      /* The run does not see the arrival of its first instruction.  */
      counted = *point;
      counted.arrivals = left - (here ? 1 : 0);
      full.point = &counted;
      if (request->n_breaks != 0)
        memcpy (breaks, request->breaks, request->n_breaks * sizeof *breaks);
      breaks[request->n_breaks] = (TicksBreak){ .pc = point->regs.rip, .skip = G_MAXUINT64 };
      full.breaks = breaks;
      full.n_breaks = request->n_breaks + 1;
    }
  if (!ticks_run (ticks, &replay->task, &full, result_ret, error) || !task_get_regs (&replay->task, &after, error))
    return FALSE;
  if (left != 0)
    {
      guint64 passed = G_MAXUINT64 - breaks[request->n_breaks].skip;

      for (gsize i = 0; i < request->n_breaks; i++)
        request->breaks[i].skip = breaks[i].skip;
      if (passed > 0 && result_ret->stop == TICKS_STOP_BREAK && after.rip == point->regs.rip)
        passed--;
      if (here && (result_ret->ticks != 0 || after.rip != before.rip))
        passed++;
      replay->arrivals += passed;
    }
  replay->in_rep = result_ret->stop == TICKS_STOP_WATCH && result_ret->ticks == 0 && after.rip == before.rip;
  return finish (replay, event, &before, result_ret, due_ret, error);
}

gboolean
replay_step (Replay *replay, const TicksRequest *request, TicksResult *result_ret, gboolean *due_ret, GError **error)
{
  const Event *event;
  guint64 left;
  Regs before, regs;
  Step step;

  if (!begin (replay, result_ret, due_ret, &event, &before, &left, error))
    return FALSE;
  if (*due_ret)
    return TRUE;
  regs = before;
  if (!step_set_watches (&replay->task, request, error))
    return FALSE;
  result_ret->stop = TICKS_STOP_TICKS;
  do
    step = step_one (&replay->task, request, &regs, result_ret, error);
  while (step == STEP_INTERRUPTED);
  if (!step_clear_watches (&replay->task, request, step != STEP_ERROR ? error : NULL) || step == STEP_ERROR)
    return FALSE;
  if (step != STEP_STOP)
    result_ret->stop = TICKS_STOP_TICKS;
  if (left != 0 && before.rip == next_point (event)->regs.rip && !replay->in_rep
      && (result_ret->ticks != 0 || regs.rip != before.rip || step == STEP_REP))
    replay->arrivals++;
  replay->in_rep = step == STEP_REP
                   || (step == STEP_STOP && result_ret->stop == TICKS_STOP_WATCH && regs.rip == before.rip
                       && result_ret->ticks == 0);
  if (step == STEP_DONE)
    replay->inside = TRUE;
  return finish (replay, event, &before, result_ret, due_ret, error);
}
