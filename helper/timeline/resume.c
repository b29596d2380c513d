/* A movement: which way, and what to keep when it fails.

   The past is moved through in `here' itself; a copy stays behind at each
   stop of the user's (not at single steps, which are many), so that a
   movement that fails can be taken back.  Forward from the past, the
   present takes over where the log ends.  */

#include "timeline/private.h"

#include "base/error.h"

/* At the frontier, coming from the past: is what stopped the program there
   still to be shown?  */
static gboolean
shows_frontier (Session *session, const SessionRequest *request, Stop *stop)
{
  ThreadNo thread = session->live_stop.thread;
  gboolean shown = FALSE;
  Armed armed;
  Regs regs;

  if (!session_is_live (session))
    {
      *stop = (Stop){ .kind = STOP_END, .thread = session->thread };
      return TRUE;
    }
  if (session->live_stop.kind == LIVE_SIGNAL)
    {
      *stop = (Stop){ .kind = STOP_SIGNAL, .thread = thread, .signo = session->live_stop.signo };
      session->siginfo = session->live_stop.siginfo;
      session->has_siginfo = TRUE;
      session->was_away = FALSE;
      return TRUE;
    }
  if (session->live_stop.kind != LIVE_BREAK || !replay_get_regs (session->here->replay, thread, &regs, NULL))
    return FALSE;
  armed_init (&armed, session, session->here);
  armed.thread = thread;
  shown = armed_break_at (&armed, session->here, regs.rip);
  armed_clear (&armed);
  if (shown)
    *stop = (Stop){ .kind = STOP_BREAK, .thread = thread, .addr = regs.rip };
  (void) request;
  return shown;
}

static gboolean
forward (Session *session, const SessionRequest *request, Stop *stop, GError **error)
{
  SessionRequest on = *request;
  Moved moved = MOVED_FRONTIER;

  if (!session_at_frontier (session))
    {
      if (!move_forward (session, request, stop, &moved, error))
        return FALSE;
      if (moved == MOVED_STOP || shows_frontier (session, request, stop))
        return TRUE;
      if (request->how == SESSION_STEP)
        session->was_away = FALSE;
      /* What was passed was a signal of the past.  */
      on.signo = 0;
    }
  else if (!session_is_live (session))
    {
      *stop = (Stop){ .kind = STOP_END, .thread = session->thread };
      return TRUE;
    }
  session->reported = G_MAXUINT64;
  return move_live (session, &on, stop, error);
}

/* The movement failed on the way: go back to where it began.  */
static void
take_back (Session *session, const Position *start)
{
  g_autoptr (GError) error = NULL;
  Place *place;

  interrupt_defer ();
  place = seek_place (session, start, FALSE, &error);
  if (place == NULL)
    return;
  place_free (session->here);
  session->here = place;
}

static gboolean
move (Session *session, const SessionRequest *request, Stop *stop, GError **error)
{
  if (session->history != NULL && session->asked)
    return request->backward ? error_set (error, RETRO_ERROR_USAGE, "a diversion has no past")
                             : move_diverted (session, request, stop, error);
  if (session->history != NULL && !session_end_diversion (session, error))
    return FALSE;
  if (!session_at_frontier (session) || request->backward)
    session->was_away = TRUE;
  return request->backward ? move_backward (session, request, stop, error) : forward (session, request, stop, error);
}

gboolean
session_resume (Session *session, const SessionRequest *request, Stop *stop_ret, GError **error)
{
  g_autoptr (GError) failed = NULL;
  gboolean diverted = session->history != NULL && session->asked;
  EventNo reported = session->reported;
  ThreadNo thread = session->thread;
  Position start;
  gboolean ok;

  session_position (session, &start);
  if (!diverted && request->how == SESSION_CONTINUE && session->history == NULL)
    snapshots_add_copy (session, session->here, SNAP_STOP);
  session->has_siginfo = FALSE;
  *stop_ret = (Stop){ .kind = STOP_ERROR, .thread = session->thread };
  interrupt_start (session);
  ok = move (session, request, stop_ret, &failed);
  if (!ok && g_error_matches (failed, RETRO_ERROR, RETRO_ERROR_INTERRUPTED))
    {
      if (!diverted && !request->backward)
        take_back (session, &start);
      session->reported = reported;
      *stop_ret = (Stop){ .kind = STOP_INTERRUPT, .thread = thread };
      g_clear_error (&failed);
      ok = TRUE;
    }
  else if (!ok)
    {
      if (!diverted)
        take_back (session, &start);
      *stop_ret = (Stop){ .kind = STOP_ERROR, .thread = thread };
      g_propagate_error (error, g_steal_pointer (&failed));
    }
  interrupt_finish (session);
  if (stop_ret->thread == NO_THREAD)
    stop_ret->thread = thread;
  session->thread = stop_ret->thread;
  session->stop_kind = stop_ret->kind;
  return ok;
}
