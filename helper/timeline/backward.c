/* Backward: the last stop before here.

   Nothing runs backward.  From the nearest snapshot before here a copy
   runs forward to here, noting the last thing the user would stop at; if
   there was none, the same is done between the snapshot and the one
   before it, and so on.

   Unconditional breakpoints are only counted on the way (translated code
   does that by itself): what is noted is where the part with the last ones
   begins, and how often each was passed.  In the end that part is run
   again, to the last pass.

     snapshot            part with hits            here
        |------|--------|--x--x---x-----|-----------|
                        ^ noted, with the count 3

   A hit of a watch is a stop of the task, so where many come in a row a part
   is skipped, twice as long each time; what was skipped is looked at only if
   nothing came behind it, the last first, and then in smaller parts.

   Positions are those of forward stops, but for two: of a memory access
   the stop is in front of the instruction (so that the value is the one
   before the write), of an exec in front of the event.  */

#include "timeline/private.h"

#include "base/error.h"

#include <string.h>

/* While searching, snapshots are left this often.  */
#define NEAR_USEC 20000

/* So many hits of watches in a row; ticks.  */
#define MANY_HITS 64
#define FIRST_SKIP 4096
#define LEAST_SKIP 256

typedef struct
{
  gboolean any;
  Position at;        /* the place, or where the part begins  */
  guint64 *counts;    /* NULL, or passes of each armed breakpoint in the part  */
  gboolean is_access; /* go to the instruction before  */
  Stop stop;
  siginfo_t siginfo;
} Found;

/* A part that was passed without looking.  */
typedef struct
{
  Place *from;
  Position to;
} Skipped;

typedef struct
{
  Session *session;
  Armed armed;
  Place *place;
  Position here;     /* where the movement began  */
  Position end;      /* of the interval  */
  gboolean stands;   /* the breakpoint here was seen already  */
  gint64 next_near;
  Found found;
  /* Skipping.  */
  guint hits;
  TickCount skip;     /* the length of the next part to skip  */
  gboolean shrinking; /* it was too long once  */
  GArray *skipped;    /* of Skipped, in order  */
} Scan;

static void
found_clear (Found *found)
{
  g_clear_pointer (&found->counts, g_free);
  memset (found, 0, sizeof *found);
}

static void
note_place (Scan *scan, const Position *at, const Stop *stop, gboolean is_access)
{
  found_clear (&scan->found);
  scan->found = (Found){ .any = TRUE, .at = *at, .stop = *stop, .is_access = is_access,
                         .siginfo = scan->session->siginfo };
}

/* The run from PART on has counted; ENDED: it stopped at the end, whose own
   arrival does not count.  */
static void
note_counts (Scan *scan, const Position *part, gboolean ended)
{
  guint n = scan->armed.breaks->len;
  g_autofree guint64 *counts = g_new0 (guint64, n + 1);
  gboolean any = FALSE;

  for (guint i = 0; i < n; i++)
    {
      const TicksBreak *b = &g_array_index (scan->armed.breaks, TicksBreak, i);

      if (b->condition != NULL)
        continue;
      counts[i] = G_MAXUINT64 - b->skip;
      if (ended && b->pc == scan->end.insn && counts[i] > 0)
        counts[i]--;
      any = any || counts[i] > 0;
    }
  if (!any)
    return;
  found_clear (&scan->found);
  scan->found = (Found){ .any = TRUE, .at = *part, .counts = g_steal_pointer (&counts),
                         .stop = { .kind = STOP_BREAK, .thread = scan->armed.thread } };
}

static void
count_from_here (Armed *armed)
{
  for (guint i = 0; i < armed->breaks->len; i++)
    {
      TicksBreak *b = &g_array_index (armed->breaks, TicksBreak, i);

      b->skip = b->condition != NULL ? 0 : G_MAXUINT64;
    }
}

/* Run one part; *DUE_RET and *ENDED_RET as they say.  */
static gboolean
run_one (Scan *scan, gboolean *due_ret, gboolean *ended_ret, TicksResult *result, guint *hit_ret, GError **error)
{
  gboolean last = replay_event (scan->place->replay) == scan->end.event;
  gboolean last_block = last && scan->place->ticks == scan->end.ticks;
  g_autoptr (GArray) breaks = g_array_new (FALSE, FALSE, sizeof (TicksBreak));
  TicksRequest request = scan->armed.request;
  guint extra = last_block ? 1 : 0;

  count_from_here (&scan->armed);
  if (last_block)
    {
      /* First in the list, so it wins at its pc.  */
      TicksBreak end = { .pc = scan->end.insn };

      g_array_append_val (breaks, end);
      request.max_ticks = 1;
    }
  else if (last)
    request.max_ticks = scan->end.ticks - scan->place->ticks;
  if (scan->armed.breaks->len != 0)
    g_array_append_vals (breaks, scan->armed.breaks->data, scan->armed.breaks->len);
  request.breaks = (TicksBreak *) breaks->data;
  request.n_breaks = breaks->len;
  request.break_first = !scan->stands;
  if (!place_run (scan->place, &request, result, due_ret, error))
    return FALSE;
  for (guint i = 0; i < scan->armed.breaks->len; i++)
    g_array_index (scan->armed.breaks, TicksBreak, i).skip = g_array_index (breaks, TicksBreak, i + extra).skip;
  *ended_ret = last_block && result->stop == TICKS_STOP_BREAK && result->hit == 0;
  *hit_ret = (guint) result->hit - extra;
  return TRUE;
}

/* Run for TICKS without looking.  *SHORT_RET: the stretch ends before.  */
static gboolean
run_blindly (Scan *scan, TickCount ticks, gboolean *short_ret, GError **error)
{
  TicksRequest request = { .max_usec = scan->armed.request.max_usec };

  *short_ret = FALSE;
  while (ticks > 0 && !*short_ret)
    {
      TicksResult result;

      request.max_ticks = ticks;
      if (!place_run (scan->place, &request, &result, short_ret, error) || !interrupt_check (scan->session, error))
        return FALSE;
      ticks -= result.ticks;
    }
  return TRUE;
}

static void
skipped_clear (gpointer data)
{
  g_clear_pointer (&((Skipped *) data)->from, place_free);
}

/* Forget the skipped parts if something was found behind them.  */
static void
drop_skipped (Scan *scan)
{
  guint n = scan->skipped->len;

  if (n > 0 && scan->found.any
      && position_compare (&scan->found.at, &g_array_index (scan->skipped, Skipped, n - 1).to) >= 0)
    g_array_set_size (scan->skipped, 0);
}

/* Run over a part of scan->skip ticks.  *SHORT_RET: the end comes before, and
   the place is where it was.  */
static gboolean
skip_part (Scan *scan, gboolean *short_ret, GError **error)
{
  Skipped part = { .from = place_copy (scan->place, error) };

  if (part.from == NULL)
    return FALSE;
  if (!run_blindly (scan, scan->skip, short_ret, error) || !place_position (scan->place, &part.to, error))
    {
      place_free (part.from);
      return FALSE;
    }
  if (*short_ret)
    {
      place_free (scan->place);
      scan->place = part.from;
      return TRUE;
    }
  drop_skipped (scan);
  g_array_append_val (scan->skipped, part);
  scan->stands = FALSE;
  armed_note_values (&scan->armed, scan->place);
  return TRUE;
}

/* Many hits have come in a row: skip a part, if the end is far enough.  */
static gboolean
skip_ahead (Scan *scan, GError **error)
{
  Position now;
  gboolean too_short;

  scan->hits = 0;
  if (scan->skip < LEAST_SKIP)
    return TRUE;
  if (!place_position (scan->place, &now, error))
    return FALSE;
  too_short = now.event == scan->end.event && now.ticks + scan->skip >= scan->end.ticks;
  if (!too_short && !skip_part (scan, &too_short, error))
    return FALSE;
  if (too_short)
    {
      scan->shrinking = TRUE;
      scan->skip /= 8;
    }
  else if (!scan->shrinking)
    scan->skip *= 2;
  return TRUE;
}

/* The end is reached.  TRUE: nothing came behind the last part that was
   skipped, and the scan goes on there.  */
static gboolean
look_at_skipped (Scan *scan)
{
  Position from;

  drop_skipped (scan);
  if (scan->skipped->len == 0)
    return FALSE;

  Skipped *part = &g_array_index (scan->skipped, Skipped, scan->skipped->len - 1);

  place_free (scan->place);
  scan->place = g_steal_pointer (&part->from);
  scan->end = part->to;
  g_array_set_size (scan->skipped, scan->skipped->len - 1);
  scan->skip = place_position (scan->place, &from, NULL) ? (scan->end.ticks - from.ticks) / 8 : 0;
  scan->shrinking = TRUE;
  scan->stands = FALSE;
  armed_note_values (&scan->armed, scan->place);
  return TRUE;
}

/* A part of a stretch.  *DONE_RET: the end is reached.  */
static gboolean
scan_part (Scan *scan, gboolean *due_ret, gboolean *done_ret, GError **error)
{
  Session *session = scan->session;
  TicksResult result;
  Position before, after;
  gboolean ended;
  Stop stop = { .thread = scan->armed.thread };
  guint hit;

  if (!place_position (scan->place, &before, error))
    return FALSE;
  *due_ret = FALSE;
  if (position_compare (&before, &scan->end) >= 0)
    {
      *done_ret = TRUE;
      return TRUE;
    }
  if (!run_one (scan, due_ret, &ended, &result, &hit, error) || !place_position (scan->place, &after, error))
    return FALSE;
  scan->stands = FALSE;
  note_counts (scan, &before, ended && position_compare (&after, &scan->end) >= 0);
  if (*due_ret)
    return TRUE;
  if (result.stop == TICKS_STOP_WATCH)
    {
      if (armed_watch_counts (&scan->armed, scan->place, result.hit, &stop))
        note_place (scan, &after, &stop, TRUE);
      if (++scan->hits >= MANY_HITS && !skip_ahead (scan, error))
        return FALSE;
    }
  else if (result.stop == TICKS_STOP_BREAK && !ended)
    {
      stop.kind = STOP_BREAK;
      stop.addr = after.pc;
      note_place (scan, &after, &stop, FALSE);
      scan->stands = TRUE;
    }
  else if (ended)
    *done_ret = position_compare (&after, &scan->end) >= 0 || scan->end.reps != 0;
  else if (result.stop == TICKS_STOP_INTERRUPT && g_get_monotonic_time () > scan->next_near)
    {
      snapshots_add_copy (session, scan->place, SNAP_NEAR);
      scan->next_near = g_get_monotonic_time () + NEAR_USEC;
    }
  return interrupt_check (session, error);
}

/* Is EVENT the entry at whose stop, made while live, the movement began?
   That one lies behind its event, not before.  */
static gboolean
is_entry_here (const Scan *scan, const Event *event, EventNo number)
{
  return event->kind == EV_ENTER && event->thread == scan->session->thread && number + 1 == scan->here.event
         && scan->here.insn == 0 && scan->session->stop_kind == STOP_SYSCALL_ENTRY;
}

/* The next event is due and lies before the end.  */
static gboolean
scan_event (Scan *scan, GError **error)
{
  Session *session = scan->session;
  EventNo number = replay_event (scan->place->replay);
  const Event *event = replay_peek (scan->place->replay, error);
  Position before, after;
  Stop stop = { .thread = NO_THREAD };
  gboolean changes;

  if (event == NULL || !place_position (scan->place, &before, error))
    return FALSE;
  if (!is_entry_here (scan, event, number) && event_stops (session, event, EDGE_BEFORE, &stop))
    note_place (scan, &before, &stop, FALSE);
  if (!place_apply (scan->place, error) || !place_position (scan->place, &after, error))
    return FALSE;
  scan->stands = FALSE;
  event = log_get (session->log, number, error);
  if (event == NULL)
    return FALSE;
  changes = event->writes != NULL || event->ops != NULL;
  stop = (Stop){ .thread = event->thread };
  if (event_stops (session, event, EDGE_AFTER, &stop))
    {
      if (stop.kind == STOP_EXEC)
        note_place (scan, &before, &stop, FALSE);
      else if (position_compare (&after, &scan->here) < 0) /* the end may be a snapshot  */
        note_place (scan, &after, &stop, FALSE);
    }
  stop = (Stop){ .thread = event->thread };
  if (changes && scan->armed.request.n_watches != 0 && armed_event_counts (&scan->armed, scan->place, &stop))
    note_place (scan, &before, &stop, FALSE);
  if ((number & 15) == 0)
    {
      if (g_get_monotonic_time () > scan->next_near)
        {
          snapshots_add_copy (session, scan->place, SNAP_NEAR);
          scan->next_near = g_get_monotonic_time () + NEAR_USEC;
        }
      return interrupt_check (session, error);
    }
  return TRUE;
}

/* From where the place is to the end.  */
static gboolean
scan_on (Scan *scan, GError **error)
{
  gboolean done = FALSE, ok = TRUE;

  while (ok && !done)
    {
      EventNo number = replay_event (scan->place->replay);
      const Event *event;
      gboolean due = TRUE;

      if (number > scan->end.event || (number == scan->end.event && scan->end.insn == 0 && scan->end.ticks == 0))
        break;
      event = replay_peek (scan->place->replay, error);
      if (event == NULL)
        return number >= log_length (scan->session->log);
      scan->armed.thread = event->thread;
      if (replay_event_runs (event))
        ok = scan_part (scan, &due, &done, error);
      if (ok && !done && due)
        {
          if (number == scan->end.event)
            break;
          ok = scan_event (scan, error);
        }
    }
  return ok;
}

/* From PLACE (taken) to END; the result is in scan->found.  */
static gboolean
scan_interval (Scan *scan, Place *place, const Position *end, GError **error)
{
  gboolean ok;

  scan->place = place;
  scan->end = *end;
  scan->stands = FALSE;
  scan->next_near = g_get_monotonic_time () + NEAR_USEC;
  scan->hits = 0;
  scan->skip = FIRST_SKIP;
  scan->shrinking = FALSE;
  scan->skipped = g_array_new (FALSE, FALSE, sizeof (Skipped));
  g_array_set_clear_func (scan->skipped, skipped_clear);
  armed_note_values (&scan->armed, place);
  do
    ok = scan_on (scan, error);
  while (ok && look_at_skipped (scan));
  g_clear_pointer (&scan->skipped, g_array_unref);
  g_clear_pointer (&scan->place, place_free);
  return ok;
}

/* --- Going there --- */

/* Run the part again to the last pass of any of its breakpoints.  */
static Place *
go_to_last_pass (Scan *scan, GError **error)
{
  const Found *found = &scan->found;
  g_autoptr (Place) place = seek_place (scan->session, &found->at, TRUE, error);
  TicksRequest request = scan->armed.request;
  guint left = 0;

  if (place == NULL)
    return NULL;
  request.n_watches = 0;
  request.max_usec = 0;
  request.break_first = TRUE;
  for (guint i = 0; i < scan->armed.breaks->len; i++)
    {
      TicksBreak *b = &g_array_index (scan->armed.breaks, TicksBreak, i);

      b->skip = found->counts[i] > 0 ? found->counts[i] - 1 : G_MAXUINT64;
      b->condition = NULL;
      left += found->counts[i] > 0;
    }
  request.breaks = (TicksBreak *) scan->armed.breaks->data;
  while (left > 0)
    {
      TicksResult result;
      gboolean due;

      if (!place_run (place, &request, &result, &due, error))
        return NULL;
      if (result.stop == TICKS_STOP_INTERRUPT)
        {
          if (!interrupt_check (scan->session, error))
            return NULL;
          request.break_first = TRUE;
          continue;
        }
      if (due || result.stop != TICKS_STOP_BREAK)
        {
          error_set (error, RETRO_ERROR_DIVERGED, "a breakpoint was not passed again");
          return NULL;
        }
      request.break_first = FALSE;
      request.breaks[result.hit].skip = G_MAXUINT64;
      left--;
    }
  return g_steal_pointer (&place);
}

static Place *
go_to_found (Scan *scan, Stop *stop, GError **error)
{
  Found *found = &scan->found;
  Place *place;

  *stop = found->stop;
  if (found->counts != NULL)
    {
      Position at;

      place = go_to_last_pass (scan, error);
      if (place != NULL && place_position (place, &at, NULL))
        stop->addr = at.pc;
    }
  else if (found->is_access)
    place = previous_place (scan->session, &found->at, NO_THREAD, error);
  else
    place = seek_place (scan->session, &found->at, TRUE, error);
  if (place != NULL && (stop->kind == STOP_SIGNAL || stop->kind == STOP_SYSCALL_ENTRY))
    scan->session->reported = found->at.event;
  scan->session->has_siginfo = stop->kind == STOP_SIGNAL;
  scan->session->siginfo = found->siginfo;
  return place;
}

static void
arrive (Session *session, Place *place)
{
  place_free (session->here);
  session->here = place;
}

static gboolean
go_to_begin (Session *session, Stop *stop, GError **error)
{
  Place *place = seek_place (session, &session->begin, FALSE, error);

  if (place == NULL)
    return FALSE;
  stop->kind = STOP_BEGIN;
  arrive (session, place);
  stop->thread = replay_current (place->replay);
  return TRUE;
}

static gboolean
continue_back (Session *session, const Position *here, Stop *stop, GError **error)
{
  Scan scan = { .session = session, .here = *here };
  Position end = *here;
  gboolean ok = TRUE;
  Place *place = NULL;

  armed_init (&scan.armed, session, session->here);
  while (ok && !scan.found.any)
    {
      Snapshot *snapshot = snapshots_find_before (session, &end);
      Position start;
      Place *copy;

      if (snapshot == NULL)
        break;
      start = snapshot->position;
      copy = place_copy (snapshot->place, error);
      ok = copy != NULL && scan_interval (&scan, copy, &end, error);
      end = start;
    }
  if (ok && scan.found.any)
    {
      place = go_to_found (&scan, stop, error);
      ok = place != NULL;
    }
  found_clear (&scan.found);
  armed_clear (&scan.armed);
  if (!ok)
    return FALSE;
  if (place == NULL)
    return go_to_begin (session, stop, error);
  arrive (session, place);
  return TRUE;
}

static gboolean
step_back (Session *session, const SessionRequest *request, const Position *here, Stop *stop, GError **error)
{
  ThreadNo thread = request->thread != NO_THREAD ? request->thread : session->thread;
  Position at = *here;

  for (;;)
    {
      g_autoptr (GError) failed = NULL;
      g_autoptr (Place) place = previous_place (session, &at, thread, &failed);
      Regs regs;

      if (failed != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&failed));
          return FALSE;
        }
      if (place == NULL)
        return go_to_begin (session, stop, error);
      if (!place_position (place, &at, error) || !replay_get_regs (place->replay, thread, &regs, error))
        return FALSE;
      if (request->how == SESSION_RANGE && regs.rip >= request->start && regs.rip < request->end)
        {
          if (!interrupt_check (session, error))
            return FALSE;
          continue;
        }
      *stop = (Stop){ .kind = STOP_STEP, .thread = thread };
      arrive (session, g_steal_pointer (&place));
      return TRUE;
    }
}

gboolean
move_backward (Session *session, const SessionRequest *request, Stop *stop, GError **error)
{
  Position here;

  session->reported = G_MAXUINT64;
  if (!place_position (session->here, &here, error))
    return FALSE;
  if (position_compare (&here, &session->begin) <= 0)
    {
      *stop = (Stop){ .kind = STOP_BEGIN, .thread = session->thread };
      return TRUE;
    }
  return (request->how == SESSION_CONTINUE ? continue_back (session, &here, stop, error)
                                           : step_back (session, request, &here, stop, error));
}
