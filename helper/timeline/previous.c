/* The instruction before this one.

   Inside a stretch the last branch before the place is known by its
   number, and from there on instructions follow each other without a
   branch: decoding them says where the last one begins.  At the beginning
   of a stretch the previous instruction is the one that the event before
   stopped (a system call, rdtsc, a fault), or, if that was a mere point,
   the last one of the stretch before it.

   A signal's delivery counts as an instruction of its own: from the first
   instruction of a handler one step back leads to where the signal came.
   A rep instruction is one instruction backward, whatever its iterations.  */

#include "timeline/private.h"

#include "base/error.h"
#include "ticks/insn.h"

/* More than any code has without a branch, in bytes.  */
#define BLOCK_MAX (1u << 20)

/* From PC on, decode until the instruction whose end is END, or, with END
   == 0, the first branch.  0 if there is none.  */
static Addr
decode_to (const Place *place, Addr pc, Addr end)
{
  const Task *task = replay_task (place->replay);

  for (Addr limit = pc + BLOCK_MAX; pc < limit;)
    {
      guint8 code[INSN_MAX];
      Insn insn;

      if (!insn_decode (code, task_read_some (task, pc, code, sizeof code), pc, &insn))
        return 0;
      if (end == 0 ? insn.tick : pc + insn.length == end)
        return pc;
      if (insn.tick || (end != 0 && pc + insn.length > end))
        return 0;
      pc += insn.length;
    }
  return 0;
}

/* The last instruction of the stretch after EVENT events that begins
   before POSITION, which is inside it.  */
static Place *
last_before (Session *session, const Position *position, GError **error)
{
  TickCount ticks = position->ticks;
  g_autoptr (Place) block = seek_ticks (session, position->event, ticks, error);
  Position start;
  Addr insn;

  if (block == NULL || !place_position (block, &start, error))
    return NULL;
  if (start.pc == position->insn && ticks > 0 && position_compare (&start, position) == 0)
    {
      /* A branch led here.  */
      g_clear_pointer (&block, place_free);
      block = seek_ticks (session, position->event, ticks - 1, error);
      if (block == NULL || !place_position (block, &start, error))
        return NULL;
      insn = decode_to (block, start.pc, 0);
    }
  else if (start.pc == position->insn)
    return g_steal_pointer (&block); /* between iterations  */
  else
    {
      Insn at;
      guint8 code[INSN_MAX];

      insn = decode_to (block, start.pc, position->insn);
      /* In the middle of a rep instruction: its own beginning.  Whether
         that is so is known by trying.  */
      if (position->reps != 0
          && insn_decode (code, task_read_some (replay_task (block->replay), position->insn, code, sizeof code),
                          position->insn, &at)
          && at.rep)
        {
          Position begin;

          if (!place_to_insn (block, position->insn, 0, error) || !place_position (block, &begin, error))
            return NULL;
          if (begin.reps < position->reps)
            return g_steal_pointer (&block);
          g_clear_pointer (&block, place_free);
          block = seek_ticks (session, position->event, ticks, error);
          if (block == NULL)
            return NULL;
        }
    }
  if (insn == 0)
    {
      error_set (error, RETRO_ERROR_FAILED, "cannot decode the instructions before 0x%" G_GINT64_MODIFIER "x",
                 position->pc);
      return NULL;
    }
  if (insn != start.pc && !place_to_insn (block, insn, 0, error))
    return NULL;
  return g_steal_pointer (&block);
}

/* The instruction that event NUMBER - 1 ended; *NONE_RET if it ended none of
   THREAD's.  */
static Place *
before_event (Session *session, EventNo number, ThreadNo thread, gboolean *none_ret, GError **error)
{
  const Event *event = log_get (session->log, number - 1, error);
  g_autoptr (Place) place = NULL;
  Position position;

  *none_ret = FALSE;
  if (event == NULL)
    return NULL;
  *none_ret = TRUE;
  if (thread != NO_THREAD && event->thread != thread)
    return NULL;
  if (event->kind == EV_SIGNAL && !event->sync)
    {
      *none_ret = FALSE;
      return seek_place (session, &(Position){ .event = number - 1 }, TRUE, error);
    }
  if (!replay_event_runs (event))
    return NULL;

  gboolean is_point = event->kind == EV_POINT;

  *none_ret = FALSE;
  place = seek_due (session, number - 1, TRUE, error);
  if (place == NULL || !is_point)
    return g_steal_pointer (&place);
  if (!replay_is_inside (place->replay))
    {
      *none_ret = TRUE;
      return NULL;
    }
  if (!place_position (place, &position, error))
    return NULL;
  snapshots_add (session, g_steal_pointer (&place), SNAP_NEAR);
  return last_before (session, &position, error);
}

Place *
previous_place (Session *session, const Position *position, ThreadNo thread, GError **error)
{
  if (position->insn != 0)
    {
      const Event *event
        = position->event < log_length (session->log) ? log_get (session->log, position->event, error) : NULL;

      if (event == NULL)
        return NULL;
      if (thread == NO_THREAD || event->thread == thread)
        return last_before (session, position, error);
    }
  for (EventNo number = position->event; number > session->begin.event; number--)
    {
      gboolean none;
      Place *place = before_event (session, number, thread, &none, error);

      if (place != NULL || !none)
        return place;
      if ((number & 255) == 0 && !interrupt_check (session, error))
        return NULL;
    }
  return NULL;
}
