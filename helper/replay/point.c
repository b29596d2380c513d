/* From where the replay is to a point inside the stretch.

   A place that was counted by arrivals is reached natively with a debug
   register if there are few of them; all others take the translated run,
   which compares at every arrival (see ticks/ticks.h).  Whatever way it
   was found, everything that the point knows is compared in the end.  */

#include "replay/private.h"

#include "base/error.h"
#include "record/point.h"

#define FLAG_RF 0x10000ull

/* A stop at a debug register costs about 20 us.  */
#define NATIVE_ARRIVALS 64

static gboolean
wrong_stop (Replay *replay, const char *what, const PointId *point, GError **error)
{
  const Event *event = replay_peek (replay, error);

  return event != NULL
         && replay_diverged (replay, event, error, "the program arrives at %s before the point at 0x%llx", what,
                             point->regs.rip);
}

/* Are we at the place?  LEFT arrivals are wanted, 0 if they are unknown.  */
static gboolean
is_here (Replay *replay, const PointId *point, guint64 left, const Regs *regs)
{
  if (regs->rip != point->regs.rip || left > 1)
    return FALSE;
  return point_match_regs (point, regs) && point_match (point, &replay->task, replay->space, regs);
}

static gboolean
run_with_debug_register (Replay *replay, const PointId *point, guint64 left, GError **error)
{
  gboolean ok = TRUE;
  Regs regs;

  if (!task_set_debug (&replay->task, 0, point->regs.rip, 0, 1, error))
    return FALSE;
  while (ok && left > 0)
    {
      RunStop stop;
      int signo;

      ok = replay_run_native (replay, &stop, &signo, &regs, error);
      if (ok && stop != RUN_BREAK)
        {
          g_autofree char *found = replay_describe_stop (stop, signo, &regs);

          ok = wrong_stop (replay, found, point, error);
        }
      if (ok && --left > 0)
        replay->arrivals++; /* lest an interrupt makes us forget  */
    }
  return task_clear_debug (&replay->task, 0, ok ? error : NULL) && ok;
}

static gboolean
run_translated (Replay *replay, const PointId *point, guint64 left, GError **error)
{
  static const char *const names[] = {
    [TICKS_STOP_TICKS] = "the end",   [TICKS_STOP_BREAK] = "a breakpoint", [TICKS_STOP_POINT] = "the point",
    [TICKS_STOP_WATCH] = "a watch",   [TICKS_STOP_SYSCALL] = "a system call", [TICKS_STOP_TSC] = "rdtsc",
    [TICKS_STOP_FAULT] = "a fault",   [TICKS_STOP_INTERRUPT] = "an interrupt",
  };
  Ticks *ticks = replay_ticks (replay, error);
  TicksBreak place = { .pc = point->regs.rip, .skip = left == 0 ? 0 : left - 1 };
  TicksRequest request = { .uncounted = TRUE, .space = replay->space };
  TicksResult result;

  if (left == 0)
    request.point = point;
  else
    {
      request.breaks = &place;
      request.n_breaks = 1;
      request.break_first = TRUE;
    }
  if (ticks == NULL || !replay_settle (replay, error))
    return FALSE;
  do
    {
      if (!ticks_run (ticks, &replay->task, &request, &result, error))
        return FALSE;
      replay->inside = TRUE;
      if (left != 0 && result.stop == TICKS_STOP_INTERRUPT)
        replay->arrivals = point->arrivals - 1 - place.skip;
    }
  while (result.stop == TICKS_STOP_INTERRUPT && !replay_interrupted);
  if (result.stop == TICKS_STOP_INTERRUPT)
    {
      replay_interrupted = 0;
      return error_set (error, RETRO_ERROR_INTERRUPTED, "interrupted");
    }
  if (result.stop != TICKS_STOP_BREAK && result.stop != TICKS_STOP_POINT)
    return wrong_stop (replay, names[result.stop], point, error);
  return TRUE;
}

/* The last point may have been found where we are: its debug register has
   left RF set, which would hide the arrival that this stretch begins with.  */
static gboolean
show_first_arrival (Replay *replay, GError **error)
{
  Regs regs;

  if (!task_get_regs (&replay->task, &regs, error))
    return FALSE;
  if ((regs.eflags & FLAG_RF) == 0)
    return TRUE;
  regs.eflags &= ~FLAG_RF;
  regs.orig_rax = ~0ull; /* no call to be repeated  */
  return task_set_regs (&replay->task, &regs, error);
}

gboolean
replay_run_to_point (Replay *replay, const PointId *point, GError **error)
{
  guint64 left = point->arrivals;
  Regs regs;

  if (left != 0)
    {
      if (left <= replay->arrivals)
        return wrong_stop (replay, "too many arrivals", point, error);
      left -= replay->arrivals;
    }
  if (!replay_get_regs (replay, replay->loaded, &regs, error))
    return FALSE;
  if (is_here (replay, point, left, &regs))
    return TRUE;
  if (!replay->inside && left != 0 && !show_first_arrival (replay, error))
    return FALSE;
  if (left != 0 && left <= NATIVE_ARRIVALS)
    {
      if (!run_with_debug_register (replay, point, left, error))
        return FALSE;
    }
  else if (!run_translated (replay, point, left, error))
    return FALSE;
  if (!replay_get_regs (replay, replay->loaded, &regs, error))
    return FALSE;
  if (point_match (point, &replay->task, replay->space, &regs))
    return TRUE;

  const Event *event = replay_peek (replay, error);

  return event != NULL
         && replay_diverged (replay, event, error, "the state differs at the point at 0x%llx (here rsp 0x%llx, rax 0x%llx)",
                             point->regs.rip, regs.rsp, regs.rax);
}
