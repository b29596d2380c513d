/* A place: a replay with the number of ticks since its last event.

   Places move forward only.  The moves here are exact and look at no
   breakpoint; what the user asked to stop at is the concern of forward.c
   and backward.c.  */

#include "timeline/private.h"

#include "base/error.h"
#include "ticks/insn.h"

int
position_compare (const Position *a, const Position *b)
{
  if (a->event != b->event)
    return a->event < b->event ? -1 : 1;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? -1 : 1;
  if (a->insn != b->insn)
    return a->insn < b->insn ? -1 : 1;
  return a->reps < b->reps ? -1 : a->reps > b->reps;
}

Place *
place_new (Replay *replay)
{
  Place *place = g_new0 (Place, 1);

  place->replay = replay;
  return place;
}

Place *
place_copy (Place *place, GError **error)
{
  Replay *replay = replay_copy (place->replay, error);

  if (replay == NULL)
    return NULL;
  Place *copy = place_new (replay);

  copy->ticks = place->ticks;
  return copy;
}

void
place_free (Place *place)
{
  if (place == NULL)
    return;
  replay_free (place->replay);
  g_free (place);
}

/* ~rcx at a rep instruction, which grows with its iterations; else 0.  */
static guint64
reps_at (const Task *task, const Regs *regs)
{
  guint8 code[INSN_MAX];
  gsize length = task_read_some (task, regs->rip, code, sizeof code);
  Insn insn;

  return insn_decode (code, length, regs->rip, &insn) && insn.rep ? ~regs->rcx : 0;
}

gboolean
place_position (Place *place, Position *position_ret, GError **error)
{
  ThreadNo thread = replay_current (place->replay);
  Regs regs = { 0 };

  *position_ret = (Position){ .event = replay_event (place->replay), .ticks = place->ticks };
  if (thread == NO_THREAD)
    return TRUE;
  if (!replay_get_regs (place->replay, thread, &regs, error))
    return FALSE;
  position_ret->pc = regs.rip;
  if (replay_is_inside (place->replay))
    {
      position_ret->insn = regs.rip;
      position_ret->reps = reps_at (replay_task (place->replay), &regs);
    }
  return TRUE;
}

gboolean
place_run (Place *place, const TicksRequest *request, TicksResult *result_ret, gboolean *due_ret, GError **error)
{
  if (!replay_run (place->replay, request, result_ret, due_ret, error))
    return FALSE;
  place->ticks += result_ret->ticks;
  return TRUE;
}

gboolean
place_step (Place *place, const TicksRequest *request, TicksResult *result_ret, gboolean *due_ret, GError **error)
{
  if (!replay_step (place->replay, request, result_ret, due_ret, error))
    return FALSE;
  place->ticks += result_ret->ticks;
  return TRUE;
}

/* Past the next event.  A look at what the client sends may have asked
   the replay to stop although nothing was meant by it: that is no reason.  */
static gboolean
go_to_next (Replay *replay, GError **error)
{
  for (;;)
    {
      g_autoptr (GError) failed = NULL;

      if (replay_next (replay, &failed))
        return TRUE;
      if (interrupt_is_due () || !g_error_matches (failed, RETRO_ERROR, RETRO_ERROR_INTERRUPTED))
        {
          g_propagate_error (error, g_steal_pointer (&failed));
          return FALSE;
        }
    }
}

gboolean
place_apply (Place *place, GError **error)
{
  const Event *event = replay_peek (place->replay, error);

  if (event == NULL)
    return FALSE;
  if (!(replay_event_runs (event) ? replay_arrived (place->replay, error) : go_to_next (place->replay, error)))
    return FALSE;
  place->ticks = 0;
  return TRUE;
}

gboolean
place_next (Place *place, GError **error)
{
  if (!go_to_next (place->replay, error))
    return FALSE;
  place->ticks = 0;
  return TRUE;
}

static gboolean
not_there (Place *place, const char *what, GError **error)
{
  return error_set (error, RETRO_ERROR_DIVERGED, "the stretch after event %" G_GUINT64_FORMAT " has no such %s any more",
                    replay_event (place->replay), what);
}

gboolean
place_to_ticks (Place *place, TickCount ticks, GError **error)
{
  while (place->ticks < ticks)
    {
      const TicksRequest request = { .max_ticks = ticks - place->ticks };
      TicksResult result;
      gboolean due;

      if (!place_run (place, &request, &result, &due, error))
        return FALSE;
      if (result.stop == TICKS_STOP_INTERRUPT && interrupt_is_due ())
        return error_set (error, RETRO_ERROR_INTERRUPTED, "interrupted");
      if (due && place->ticks < ticks)
        return not_there (place, "branch", error);
    }
  return TRUE;
}

gboolean
place_to_insn (Place *place, Addr insn, guint64 reps, GError **error)
{
  TicksBreak there = { .pc = insn };
  const TicksRequest request
    = { .max_ticks = 1, .breaks = &there, .n_breaks = 1, .break_first = TRUE };
  TicksResult result;
  Position now;
  gboolean due;

  do
    if (!place_run (place, &request, &result, &due, error))
      return FALSE;
  while (result.stop == TICKS_STOP_INTERRUPT && result.ticks == 0);
  if (!place_position (place, &now, error))
    return FALSE;
  if (now.pc != insn || result.ticks != 0)
    return not_there (place, "instruction", error);
  while (reps != 0 && now.reps < reps)
    {
      const TicksRequest none = { .max_ticks = G_MAXUINT64 };

      if (!place_step (place, &none, &result, &due, error) || !place_position (place, &now, error))
        return FALSE;
      if (now.pc != insn || due)
        return not_there (place, "iteration", error);
    }
  return TRUE;
}

gboolean
place_to_due (Place *place, GError **error)
{
  const TicksRequest request = { .max_ticks = G_MAXUINT64 };
  TicksResult result;
  gboolean due;

  do
    if (!place_run (place, &request, &result, &due, error))
      return FALSE;
  while (!due && !interrupt_is_due ());
  return due || error_set (error, RETRO_ERROR_INTERRUPTED, "interrupted");
}
