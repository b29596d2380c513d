/* Bisection of history for the place where a property flips.

   Three scales, each halved until it is exhausted: snapshots, events, the
   ticks of one stretch; then the instructions of one block.  Every good
   midpoint leaves a snapshot, so the way to the next one starts there and
   nothing is run more than twice.

   The invariant is: good at `low', bad at `high'.  In the end one
   instruction, or one event, lies between them.  */

#include "timeline/private.h"

#include "base/error.h"

typedef struct
{
  Session *session;
  SessionProbe probe;
  gpointer user;
  SearchProgress progress;
  gpointer progress_user;
  SearchResult result;
  gint64 start;
  Position low, high;
} Search;

/* Stand at PLACE (taken).  */
static void
stand (Session *session, Place *place)
{
  if (session->history != NULL)
    session_end_diversion (session, NULL);
  place_free (session->here);
  session->here = place;
  session->thread = replay_current (place->replay);
}

static gboolean
ask (Search *search, Place *place, guint *counter, gboolean *bad_ret, GError **error)
{
  Session *session = search->session;

  if (place == NULL)
    return FALSE;
  stand (session, place);
  search->result.probes++;
  (*counter)++;
  search->result.seconds = (double) (g_get_monotonic_time () - search->start) / G_USEC_PER_SEC;
  if (search->progress != NULL)
    search->progress (&search->result, search->low.event, search->high.event, search->progress_user);
  /* The second check forgets what the client sent while it was asked.  */
  if (!interrupt_check (session, error) || !search->probe (session, bad_ret, search->user, error)
      || !interrupt_check (session, error))
    return FALSE;
  if (session->history != NULL && !session_end_diversion (session, error))
    return FALSE;
  /* A client that judges sends packets, which are no interrupts.  */
  if (!interrupt_check (session, error))
    return FALSE;
  if (!*bad_ret)
    snapshots_add_copy (session, session->here, SNAP_NEAR);
  return TRUE;
}

static gboolean
ask_at (Search *search, const Position *position, guint *counter, gboolean *bad_ret, GError **error)
{
  return ask (search, seek_place (search->session, position, FALSE, error), counter, bad_ret, error);
}

/* Halve between low and high over POSITIONS, sorted, all strictly inside.  */
static gboolean
bisect_positions (Search *search, const GArray *positions, guint *counter, GError **error)
{
  guint low = 0, high = positions->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      const Position *position = &g_array_index (positions, Position, middle);
      gboolean bad;

      if (!ask_at (search, position, counter, &bad, error))
        return FALSE;
      if (bad)
        {
          search->high = *position;
          high = middle;
        }
      else
        {
          search->low = *position;
          low = middle + 1;
        }
    }
  return TRUE;
}

static gboolean
bisect_snapshots (Search *search, GError **error)
{
  g_autoptr (GArray) all = session_snapshot_positions (search->session);
  g_autoptr (GArray) inside = g_array_new (FALSE, FALSE, sizeof (Position));

  for (guint i = 0; i < all->len; i++)
    {
      const Position *position = &g_array_index (all, Position, i);

      if (position_compare (position, &search->low) > 0 && position_compare (position, &search->high) < 0)
        g_array_append_val (inside, *position);
    }
  return bisect_positions (search, inside, &search->result.snapshot_probes, error);
}

/* Until both ends are in, or at the ends of, one stretch.  */
static gboolean
bisect_events (Search *search, GError **error)
{
  for (;;)
    {
      gboolean inside = search->high.insn != 0;
      EventNo low = search->low.event, high = search->high.event;
      Position middle = { 0 };
      gboolean bad;

      if (high - low + (inside ? 1 : 0) <= 1)
        return TRUE;
      middle.event = inside && high - low == 1 ? high : low + (high - low + 1) / 2;
      if (!inside && middle.event == high)
        middle.event--;
      if (middle.event == low)
        return TRUE;
      if (!ask_at (search, &middle, &search->result.event_probes, &bad, error))
        return FALSE;
      *(bad ? &search->high : &search->low) = middle;
    }
}

/* If the flip lies before or in the event that ends low's stretch, which is
   it?  *DONE_RET: the event; here is in front of it.  */
static gboolean
try_event (Search *search, gboolean *done_ret, GError **error)
{
  Session *session = search->session;
  const Event *event = log_get (session->log, search->low.event, error);
  Position due;
  gboolean bad;

  if (event == NULL)
    return FALSE;
  *done_ret = TRUE;
  search->result.by_event = TRUE;
  search->result.nr = event->nr;
  search->result.thread = event->thread;
  if (!replay_event_runs (event))
    {
      Place *place = seek_place (session, &search->low, FALSE, error);

      if (place == NULL || !place_position (place, &due, error))
        return FALSE;
      stand (session, place);
      search->result.pc = due.pc;
      return TRUE;
    }
  if (!ask (search, seek_due (session, search->low.event, FALSE, error), &search->result.event_probes, &bad, error)
      || !place_position (session->here, &due, error))
    return FALSE;
  if (!bad)
    {
      search->low = due;
      search->result.pc = due.pc;
      return TRUE;
    }
  search->high = due;
  search->result.by_event = FALSE;
  search->result.nr = 0;
  *done_ret = FALSE;
  return TRUE;
}

static gboolean
bisect_ticks (Search *search, GError **error)
{
  while (search->high.ticks - search->low.ticks > 1)
    {
      TickCount middle = search->low.ticks + (search->high.ticks - search->low.ticks) / 2;
      Position at;
      gboolean bad;

      if (!ask (search, seek_ticks (search->session, search->low.event, middle, error), &search->result.tick_probes,
                &bad, error)
          || !place_position (search->session->here, &at, error))
        return FALSE;
      *(bad ? &search->high : &search->low) = at;
    }
  return TRUE;
}

/* The instructions between low and high, by stepping once over them.  */
static gboolean
bisect_steps (Search *search, GError **error)
{
  g_autoptr (GArray) positions = g_array_new (FALSE, FALSE, sizeof (Position));
  g_autoptr (Place) place = seek_place (search->session, &search->low, FALSE, error);
  const TicksRequest none = { .max_ticks = G_MAXUINT64 };

  if (place == NULL)
    return FALSE;
  for (;;)
    {
      TicksResult result;
      Position at;
      gboolean due;

      if (!place_step (place, &none, &result, &due, error) || !place_position (place, &at, error)
          || !interrupt_check (search->session, error))
        return FALSE;
      if (due || position_compare (&at, &search->high) >= 0)
        break;
      g_array_append_val (positions, at);
    }
  if (!bisect_positions (search, positions, &search->result.step_probes, error))
    return FALSE;
  stand (search->session, g_steal_pointer (&place));

  Place *low = seek_place (search->session, &search->low, FALSE, error);

  if (low == NULL)
    return FALSE;
  stand (search->session, low);
  search->result.pc = search->low.pc;
  search->result.thread = replay_current (low->replay);
  return TRUE;
}

static gboolean
check_ends (Search *search, GError **error)
{
  gboolean bad;

  if (!ask_at (search, &search->low, &search->result.snapshot_probes, &bad, error))
    return FALSE;
  if (bad)
    return error_set (error, RETRO_ERROR_USAGE, "it is so at the beginning of the search already");
  if (!ask_at (search, &search->high, &search->result.snapshot_probes, &bad, error))
    return FALSE;
  return bad || error_set (error, RETRO_ERROR_USAGE, "it is not so here: nothing to search for");
}

static gboolean
run_search (Search *search, GError **error)
{
  gboolean done = FALSE;

  if (!check_ends (search, error) || !bisect_snapshots (search, error) || !bisect_events (search, error))
    return FALSE;
  if (search->high.event != search->low.event && !try_event (search, &done, error))
    return FALSE;
  if (!done && (!bisect_ticks (search, error) || !bisect_steps (search, error)))
    return FALSE;
  search->result.event = search->low.event;
  return TRUE;
}

gboolean
session_search (Session *session, const Position *from, SessionProbe probe, gpointer user, SearchProgress progress,
                gpointer progress_user, SearchResult *result_ret, GError **error)
{
  Search search = { .session = session, .probe = probe, .user = user, .progress = progress,
                    .progress_user = progress_user, .start = g_get_monotonic_time (), .low = session->begin };
  ThreadNo thread = session->thread;
  EventNo reported = session->reported;
  g_autoptr (Place) origin = NULL;
  gboolean ok;

  if (session->history != NULL && !session_end_diversion (session, error))
    return FALSE;
  if (from != NULL)
    search.low = *from;
  if (!place_position (session->here, &search.high, error))
    return FALSE;
  if (position_compare (&search.low, &search.high) >= 0)
    return error_set (error, RETRO_ERROR_USAGE, "there is no history to search before here");
  origin = place_copy (session->here, error);
  if (origin == NULL)
    return FALSE;
  interrupt_start (session);
  ok = run_search (&search, error);
  interrupt_finish (session);
  if (ok)
    {
      snapshots_add (session, g_steal_pointer (&origin), SNAP_STOP);
      session->reported = G_MAXUINT64;
      session->has_siginfo = FALSE;
      session->was_away = TRUE;
    }
  else
    {
      stand (session, g_steal_pointer (&origin));
      session->thread = thread;
      session->reported = reported;
    }
  search.result.seconds = (double) (g_get_monotonic_time () - search.start) / G_USEC_PER_SEC;
  *result_ret = search.result;
  return ok;
}
