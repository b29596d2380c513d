/* Going to a position from the nearest snapshot before it.

   On a long way snapshots are left behind: every quarter of a second, and,
   for a user who steps back, at distances from the goal that shrink
   exponentially, so that the next step back is a short way.  */

#include "timeline/private.h"

#include "base/error.h"

/* Distances at which to leave snapshots.  A copy costs as much as 100000
   translated branches or 100 events.  */
static const TickCount tick_distances[] = { 1ull << 26, 1ull << 23, 1ull << 20, 1ull << 17 };
static const EventNo event_distances[] = { 1u << 15, 1u << 11, 1u << 7 };

/* Natively to EVENT.  */
static gboolean
run_events (Session *session, Place *place, EventNo event, gint64 *next, GError **error)
{
  while (replay_event (place->replay) < event)
    {
      if (!place_next (place, error))
        return FALSE;
      if ((replay_event (place->replay) & 15) == 0 && g_get_monotonic_time () > *next)
        {
          snapshots_add_copy (session, place, SNAP_STOP);
          *next = g_get_monotonic_time () + (gint64) session->options.snapshot_usec;
        }
    }
  return TRUE;
}

static gboolean
go_to_event (Session *session, Place *place, EventNo event, gboolean near, GError **error)
{
  gint64 next = g_get_monotonic_time () + (gint64) session->options.snapshot_usec;

  for (gsize i = 0; near && i < G_N_ELEMENTS (event_distances); i++)
    {
      EventNo distance = event_distances[i];

      if (event < distance || replay_event (place->replay) + 2 * distance > event)
        continue;
      if (!run_events (session, place, event - distance, &next, error))
        return FALSE;
      snapshots_add_copy (session, place, SNAP_NEAR);
    }
  return run_events (session, place, event, &next, error);
}

static gboolean
go_to_ticks (Session *session, Place *place, TickCount ticks, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tick_distances); i++)
    {
      TickCount distance = tick_distances[i];

      if (ticks < distance || place->ticks + 2 * distance > ticks)
        continue;
      if (!place_to_ticks (place, ticks - distance, error))
        return FALSE;
      snapshots_add_copy (session, place, SNAP_NEAR);
    }
  return place_to_ticks (place, ticks, error);
}

static Place *
start_from (Session *session, const Position *position, GError **error)
{
  Snapshot *snapshot = snapshots_find (session, position);

  if (position_compare (&snapshot->position, position) > 0)
    {
      error_set (error, RETRO_ERROR_USAGE, "that is before the beginning of history");
      return NULL;
    }
  return place_copy (snapshot->place, error);
}

Place *
seek_place (Session *session, const Position *position, gboolean near, GError **error)
{
  g_autoptr (Place) place = start_from (session, position, error);
  Position now;

  if (place == NULL || !go_to_event (session, place, position->event, near, error)
      || !go_to_ticks (session, place, position->ticks, error) || !place_position (place, &now, error))
    return NULL;
  if (position_compare (&now, position) != 0 && !place_to_insn (place, position->insn, position->reps, error))
    return NULL;
  return g_steal_pointer (&place);
}

Place *
seek_due (Session *session, EventNo event, gboolean near, GError **error)
{
  const Position end = { .event = event, .ticks = G_MAXUINT64 };
  g_autoptr (Place) place = start_from (session, &end, error);

  if (place == NULL || !go_to_event (session, place, event, near, error) || !place_to_due (place, error))
    return NULL;
  return g_steal_pointer (&place);
}

Place *
seek_ticks (Session *session, EventNo event, TickCount ticks, GError **error)
{
  const Position there = { .event = event, .ticks = ticks };
  g_autoptr (Place) place = start_from (session, &there, error);

  if (place == NULL || !go_to_event (session, place, event, TRUE, error)
      || !go_to_ticks (session, place, ticks, error))
    return NULL;
  return g_steal_pointer (&place);
}
