/* Forward in the past: stretch by stretch, with breakpoints, watchpoints,
   steps, and the stops at events.

   When is a breakpoint hit?  When the instruction there is about to be
   executed for good.  At the end of a stretch that a point ends (another
   thread runs next, a signal comes) it is not: the same instruction is the
   first of a later stretch, and is a hit there.  So each instruction is
   one hit, whatever happens around it.

   A stop in front of an event (a signal about to be delivered, a system
   call about to be made) is shown once: session->reported says for which
   event that was done.  */

#include "timeline/private.h"

#include "base/error.h"

/* --- Stops at events --- */

static gboolean
catches (const Session *session, gint64 nr)
{
  if (session->catch == NULL)
    return FALSE;
  for (guint i = 0; i < session->catch->len; i++)
    if (g_array_index (session->catch, gint64, i) == nr)
      return TRUE;
  return session->catch->len == 0;
}

static gboolean
stops_at_signal (Session *session, const Event *event, Stop *stop)
{
  if (event->signo < 64 && (session->pass >> event->signo & 1))
    return FALSE;
  stop->kind = STOP_SIGNAL;
  stop->signo = event->signo;
  session->siginfo = event->siginfo;
  session->has_siginfo = TRUE;
  return TRUE;
}

static gboolean
stops_at_call (Session *session, const Event *event, StopKind kind, Stop *stop)
{
  if (!catches (session, event->nr))
    return FALSE;
  stop->kind = kind;
  stop->nr = event->nr;
  return TRUE;
}

/* Neither exit nor a call that was put off for a signal (see call.c of the
   recorder).  */
static gboolean
returns (const Event *event)
{
  return !event->no_return && !(event->result <= -512 && event->result >= -516);
}

/* Calls that made a process or a thread.  */
static gboolean
stops_at_child (Session *session, const Event *event, Stop *stop)
{
  gboolean is_vfork;

  if (event->new_thread != NO_THREAD)
    {
      stop->kind = STOP_CLONE;
      stop->new_thread = event->new_thread;
      return (session->report & SESSION_REPORT_CLONE) != 0;
    }
  if (!event_makes_process (event, &is_vfork))
    return FALSE;
  stop->kind = is_vfork ? STOP_VFORK : STOP_FORK;
  stop->pid = (pid_t) event->result;
  return (session->report & (is_vfork ? SESSION_REPORT_VFORK : SESSION_REPORT_FORK)) != 0;
}

gboolean
event_stops (Session *session, const Event *event, Edge edge, Stop *stop)
{
  stop->thread = event->thread;
  switch (event->kind)
    {
    case EV_SIGNAL:
      return edge == EDGE_BEFORE && stops_at_signal (session, event, stop);
    case EV_SYSCALL:
      if (edge == EDGE_BEFORE)
        return stops_at_call (session, event, STOP_SYSCALL_ENTRY, stop);
      return stops_at_child (session, event, stop)
             || (returns (event) && stops_at_call (session, event, STOP_SYSCALL_RETURN, stop));
    case EV_ENTER:
      return edge == EDGE_BEFORE && stops_at_call (session, event, STOP_SYSCALL_ENTRY, stop);
    case EV_EXIT:
      return edge == EDGE_AFTER
             && (stops_at_child (session, event, stop)
                 || (returns (event) && stops_at_call (session, event, STOP_SYSCALL_RETURN, stop)));
    case EV_IMAGE:
      stop->kind = STOP_EXEC;
      return edge == EDGE_AFTER && (session->report & SESSION_REPORT_EXEC);
    case EV_THREAD_EXIT:
      stop->kind = STOP_THREAD_EXIT;
      return edge == EDGE_AFTER && (session->report & SESSION_REPORT_EXIT);
    default:
      return FALSE;
    }
}

/* --- Movement --- */

typedef struct
{
  Session *session;
  const SessionRequest *request;
  Armed armed;
  Stop *stop;
  ThreadNo stands;   /* has not moved yet: no hit where it is; or NO_THREAD  */
  gint64 next_snapshot;
} Forward;

/* *STOPPED_RET: the movement is over.  */
typedef gboolean (*Part) (Forward *f, Place *place, gboolean *stopped_ret, GError **error);

static gboolean
in_range (const SessionRequest *request, Addr pc)
{
  return request->how == SESSION_RANGE && pc >= request->start && pc < request->end;
}

/* Thread THREAD has done (part of) its step; is the step complete?  */
static gboolean
step_is_done (Forward *f, Place *place, ThreadNo thread)
{
  g_autoptr (GError) error = NULL;
  Regs regs;

  if (f->request->how == SESSION_CONTINUE || thread != f->request->thread)
    return FALSE;
  if (replay_get_regs (place->replay, thread, &regs, &error) && in_range (f->request, regs.rip))
    return FALSE;
  f->stop->kind = STOP_STEP;
  f->stop->thread = thread;
  return TRUE;
}

static gboolean
stop_interrupted (Forward *f, gboolean *stopped_ret)
{
  if (!interrupt_wanted (f->session))
    return FALSE;
  f->stop->kind = STOP_INTERRUPT;
  *stopped_ret = TRUE;
  return TRUE;
}

/* Something was executed: the next arrival anywhere is one.  */
static void
note_moved (Forward *f, Place *place)
{
  if (f->stands == f->armed.thread && replay_is_inside (place->replay))
    f->stands = NO_THREAD;
}

/* Run the stretch freely.  */
static gboolean
run_part (Forward *f, Place *place, gboolean *due_ret, gboolean *stopped_ret, GError **error)
{
  TicksResult result;

  armed_set_skips (&f->armed, 0);
  f->armed.request.break_first = f->stands != f->armed.thread;
  if (!place_run (place, &f->armed.request, &result, due_ret, error))
    return FALSE;
  note_moved (f, place);
  f->stop->thread = f->armed.thread;
  if (*due_ret)
    return TRUE;
  if (result.stop == TICKS_STOP_BREAK)
    {
      f->stop->kind = STOP_BREAK;
      f->stop->addr = g_array_index (f->armed.breaks, TicksBreak, result.hit).pc;
      *stopped_ret = TRUE;
    }
  else if (result.stop == TICKS_STOP_WATCH)
    *stopped_ret = armed_watch_counts (&f->armed, place, result.hit, f->stop);
  else
    stop_interrupted (f, stopped_ret);
  return TRUE;
}

/* One step of the stretch.  */
static gboolean
step_part (Forward *f, Place *place, gboolean *due_ret, gboolean *stopped_ret, GError **error)
{
  TicksResult result;
  Regs regs;

  if (!place_step (place, &f->armed.request, &result, due_ret, error))
    return FALSE;
  note_moved (f, place);
  f->stop->thread = f->armed.thread;
  if (*due_ret)
    return TRUE;
  if (result.stop == TICKS_STOP_WATCH && armed_watch_counts (&f->armed, place, result.hit, f->stop))
    *stopped_ret = TRUE;
  else if (step_is_done (f, place, f->armed.thread))
    *stopped_ret = TRUE;
  else if (!replay_get_regs (place->replay, f->armed.thread, &regs, error))
    return FALSE;
  else if (armed_break_at (&f->armed, place, regs.rip))
    {
      f->stop->kind = STOP_BREAK;
      f->stop->addr = regs.rip;
      *stopped_ret = TRUE;
    }
  else
    stop_interrupted (f, stopped_ret);
  return TRUE;
}

/* Does applying EVENT complete an instruction of its thread?  */
static gboolean
completes_instruction (const Event *event)
{
  return event->kind == EV_SYSCALL || event->kind == EV_EXIT || event->kind == EV_TSC || event->kind == EV_SIGNAL
         || event->kind == EV_IMAGE || event->kind == EV_THREAD_EXIT;
}

/* The next event is due: the stops in front of it, itself, those behind.  */
static gboolean
event_part (Forward *f, Place *place, gboolean *stopped_ret, GError **error)
{
  Session *session = f->session;
  const Event *event = replay_peek (place->replay, error);
  EventNo number = replay_event (place->replay);

  if (event == NULL)
    return FALSE;
  if (event->kind == EV_END)
    {
      f->stop->kind = STOP_END;
      f->stop->thread = session->thread;
      *stopped_ret = TRUE;
      return TRUE;
    }
  if (session->reported != number && event_stops (session, event, EDGE_BEFORE, f->stop))
    {
      session->reported = number;
      *stopped_ret = TRUE;
      return TRUE;
    }
  if (!place_apply (place, error))
    return FALSE;
  event = log_get (session->log, number, error);
  if (event == NULL)
    return FALSE;
  if (event->kind != EV_POINT && event->thread == f->stands)
    f->stands = NO_THREAD;

  /* An image's contents come in further events.  */
  const Event *next = event->kind == EV_IMAGE ? replay_peek (place->replay, NULL) : NULL;

  while (next != NULL && next->kind == EV_MEMORY)
    {
      if (!place_apply (place, error))
        return FALSE;
      next = replay_peek (place->replay, NULL);
    }
  event = log_get (session->log, number, error);
  if (event == NULL)
    return FALSE;
  *stopped_ret = event_stops (session, event, EDGE_AFTER, f->stop);
  if ((event->writes != NULL || event->ops != NULL) && f->armed.request.n_watches != 0)
    {
      Stop watch = { .thread = event->thread };

      if (armed_event_counts (&f->armed, place, &watch) && !*stopped_ret)
        {
          *f->stop = watch;
          *stopped_ret = TRUE;
        }
    }
  event = log_get (session->log, number, error);
  if (event == NULL)
    return FALSE;
  if (!*stopped_ret && completes_instruction (event) && step_is_done (f, place, event->thread))
    *stopped_ret = TRUE;
  return TRUE;
}

static gboolean
move_part (Forward *f, Place *place, gboolean *stopped_ret, GError **error)
{
  const Event *event = replay_peek (place->replay, error);
  gboolean due = TRUE;

  if (event == NULL)
    return FALSE;
  f->armed.thread = event->thread;
  if (replay_event_runs (event))
    {
      gboolean steps = f->request->how != SESSION_CONTINUE && event->thread == f->request->thread;

      if (!(steps ? step_part : run_part) (f, place, &due, stopped_ret, error))
        return FALSE;
    }
  if (due && !*stopped_ret && !event_part (f, place, stopped_ret, error))
    return FALSE;
  if (g_get_monotonic_time () > f->next_snapshot)
    {
      snapshots_add_copy (f->session, place, SNAP_STOP);
      f->next_snapshot = g_get_monotonic_time () + (gint64) f->session->options.snapshot_usec;
      if (!*stopped_ret)
        stop_interrupted (f, stopped_ret);
    }
  return TRUE;
}

gboolean
move_forward (Session *session, const SessionRequest *request, Stop *stop, Moved *moved_ret, GError **error)
{
  Place *place = session->here;
  Forward f = { .session = session, .request = request, .stop = stop, .stands = session->thread,
                .next_snapshot = g_get_monotonic_time () + (gint64) session->options.snapshot_usec };
  gboolean stopped = FALSE, ok = TRUE;

  *moved_ret = MOVED_STOP;
  armed_init (&f.armed, session, place);
  while (ok && !stopped)
    {
      if (replay_event (place->replay) >= log_length (session->log))
        {
          *moved_ret = MOVED_FRONTIER;
          break;
        }
      ok = move_part (&f, place, &stopped, error);
    }
  armed_clear (&f.armed);
  return ok;
}
