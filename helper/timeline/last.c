/* The last flip before here: a scan, not a bisection.

   What a property is computed from is known after an evaluation: some words
   of memory.  It can change only when one of them does, so history is run
   with these watched, and the property is evaluated after each change,
   which may change what it is computed from.

     snapshot        snapshot        snapshot      here
        |-----g---b-----|---b----g------|--g----b----|
                                               ^ the last flip

   The part behind the last snapshot comes first, then the one before it
   and so on: the first part that begins with a good moment holds the last
   flip.  Each part is run once, at the speed of translated code but for the
   changes.  */

#include "timeline/private.h"

#include "base/error.h"

typedef struct
{
  Session *session;
  SessionDependingProbe probe;
  gpointer user;
  SearchProgress progress;
  gpointer progress_user;
  SearchResult result;
  gint64 start;
  Position low, end;
  GArray *words; /* of Addr  */
  gboolean bad;  /* at the place of the scan  */
  /* The last flip so far.  */
  gboolean any;
  Position flip; /* behind it; of an event: in front of it  */
  EventNo event;
  gboolean by_event;
} Scan;

/* Evaluate at PLACE.  *FLIPPED_RET: it was good before.  */
static gboolean
look (Scan *scan, Place *place, gboolean *flipped_ret, GError **error)
{
  Session *session = scan->session;
  Place *here = session->here;
  gboolean was_bad = scan->bad, ok;

  session->here = place;
  g_array_set_size (scan->words, 0);
  ok = scan->probe (session, &scan->bad, scan->words, scan->user, error);
  session->here = here;
  scan->result.probes++;
  *flipped_ret = scan->bad && !was_bad;
  if (ok && scan->words->len > MAX_WATCHES)
    return error_set (error, RETRO_ERROR_LIMIT, "it reads %u words of memory, and no more than %d can be watched",
                      scan->words->len, MAX_WATCHES);
  return ok;
}

static gboolean
note (Scan *scan, const Position *flip, EventNo event, gboolean by_event)
{
  scan->any = TRUE;
  scan->flip = *flip;
  scan->event = event;
  scan->by_event = by_event;
  return TRUE;
}

/* Part of the stretch; *DUE_RET: its end.  */
static gboolean
scan_part (Scan *scan, Place *place, gboolean *due_ret, GError **error)
{
  TicksRequest request = { .max_ticks = G_MAXUINT64, .max_usec = SLICE_USEC };
  gboolean last = replay_event (place->replay) == scan->end.event, flipped;
  TicksResult result;
  Position after;

  for (guint i = 0; i < scan->words->len; i++)
    request.watches[request.n_watches++] = (TicksWatch){ g_array_index (scan->words, Addr, i), 8, 1 };
  /* The last block of all by steps, up to the very instruction.  */
  if (last)
    request.max_ticks = scan->end.ticks - place->ticks;
  if (!(last && request.max_ticks == 0 ? place_step : place_run) (place, &request, &result, due_ret, error))
    return FALSE;
  if (*due_ret || result.stop != TICKS_STOP_WATCH)
    return TRUE;
  if (!look (scan, place, &flipped, error))
    return FALSE;
  return !flipped || (place_position (place, &after, error) && note (scan, &after, after.event, FALSE));
}

/* The event is due: what does it change?  */
static gboolean
scan_event (Scan *scan, Place *place, GError **error)
{
  EventNo number = replay_event (place->replay);
  const Event *event;
  Position before;
  gboolean changes, flipped = FALSE;

  if (!place_position (place, &before, error) || !place_apply (place, error))
    return FALSE;
  event = log_get (scan->session->log, number, error);
  if (event == NULL)
    return FALSE;
  changes = event->writes != NULL || event->ops != NULL || event->kind == EV_IMAGE || event->kind == EV_MEMORY;
  if (changes && !look (scan, place, &flipped, error))
    return FALSE;
  return !flipped || note (scan, &before, number, TRUE);
}

static gboolean
tell (Scan *scan, const Place *place, GError **error)
{
  scan->result.seconds = (double) (g_get_monotonic_time () - scan->start) / G_USEC_PER_SEC;
  if (scan->progress != NULL)
    scan->progress (&scan->result, scan->low.event, replay_event (place->replay), scan->progress_user);
  return interrupt_check (scan->session, error);
}

/* From PLACE to scan->end.  */
static gboolean
scan_interval (Scan *scan, Place *place, gboolean *begins_bad_ret, GError **error)
{
  gboolean flipped;

  scan->any = FALSE;
  if (!look (scan, place, &flipped, error))
    return FALSE;
  *begins_bad_ret = scan->bad;
  for (;;)
    {
      const Event *event;
      gboolean due = TRUE;
      Position now;

      if (!place_position (place, &now, error))
        return FALSE;
      if (position_compare (&now, &scan->end) >= 0)
        return TRUE;
      event = replay_peek (place->replay, error);
      if (event == NULL)
        return FALSE;
      if (replay_event_runs (event) && !scan_part (scan, place, &due, error))
        return FALSE;
      if (due && (now.event == scan->end.event || !scan_event (scan, place, error)))
        return now.event == scan->end.event;
      if (!tell (scan, place, error))
        return FALSE;
    }
}

/* A place in front of the flip.  */
static Place *
go_to_flip (Scan *scan, GError **error)
{
  Session *session = scan->session;
  const Event *event;

  if (!scan->by_event)
    return previous_place (session, &scan->flip, NO_THREAD, error);
  event = log_get (session->log, scan->event, error);
  if (event == NULL)
    return NULL;
  scan->result.by_event = TRUE;
  scan->result.nr = event->nr;
  return replay_event_runs (event) ? seek_due (session, scan->event, FALSE, error)
                                   : seek_place (session, &scan->flip, FALSE, error);
}

static gboolean
run_scan (Scan *scan, GError **error)
{
  Session *session = scan->session;
  gboolean begins_bad = TRUE;
  Position at;
  Place *place;

  while (begins_bad)
    {
      Snapshot *snapshot = snapshots_find_before (session, &scan->end);
      Position start = snapshot == NULL ? scan->low : snapshot->position;
      g_autoptr (Place) copy = NULL;

      if (position_compare (&scan->end, &scan->low) <= 0)
        return error_set (error, RETRO_ERROR_USAGE, "it is so at the beginning of the search already");
      if (position_compare (&start, &scan->low) < 0)
        start = scan->low;
      copy = seek_place (session, &start, FALSE, error);
      if (copy == NULL || !scan_interval (scan, copy, &begins_bad, error))
        return FALSE;
      if (scan->any)
        break;
      scan->end = start;
    }
  if (!scan->any)
    return error_set (error, RETRO_ERROR_USAGE, "it is not so here: nothing to search for");
  place = go_to_flip (scan, error);
  if (place == NULL)
    return error == NULL || *error != NULL
             ? FALSE
             : error_set (error, RETRO_ERROR_FAILED, "the instruction that changed it cannot be found");
  snapshots_add (session, session->here, SNAP_STOP);
  session->here = place;
  session->thread = scan->result.thread = replay_current (place->replay);
  scan->result.event = scan->event;
  if (!place_position (place, &at, error))
    return FALSE;
  scan->result.pc = at.pc;
  return TRUE;
}

gboolean
session_search_last (Session *session, const Position *from, SessionDependingProbe probe, gpointer user,
                     SearchProgress progress, gpointer progress_user, SearchResult *result_ret, GError **error)
{
  Scan scan = { .session = session, .probe = probe, .user = user, .progress = progress,
                .progress_user = progress_user, .start = g_get_monotonic_time (), .low = session->begin };
  gboolean ok;

  if (session->history != NULL && !session_end_diversion (session, error))
    return FALSE;
  if (from != NULL)
    scan.low = *from;
  if (!place_position (session->here, &scan.end, error))
    return FALSE;
  scan.words = g_array_new (FALSE, FALSE, sizeof (Addr));
  interrupt_start (session);
  ok = run_scan (&scan, error);
  interrupt_finish (session);
  g_array_unref (scan.words);
  if (ok)
    {
      session->reported = G_MAXUINT64;
      session->has_siginfo = FALSE;
      session->was_away = TRUE;
    }
  scan.result.seconds = (double) (g_get_monotonic_time () - scan.start) / G_USEC_PER_SEC;
  *result_ret = scan.result;
  return ok;
}
