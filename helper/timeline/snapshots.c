/* Snapshots: dormant places, ordered by position.

   There are three kinds of them.  Pinned ones stay.  Those of stops and
   of every quarter of a second are thinned so that their distance grows
   with their distance from the end of history; those left near a place
   that the user steps back from, with the distance from the last such
   place.  So their number stays bounded and the way to any position is
   short where the user is.

     |P----------S-------S---S--S-S-|   end
                       N-N--N-NNN
                                ^ focus of the near ones

   Their memory is the sum of Pss, which counts shared pages once; it is
   costly to ask for, so it is asked for now and then only.  */

#include "timeline/private.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_STOPS 48
#define MAX_NEAR 20
#define MEASURE_USEC 500000

/* A scale on which distances of positions can be compared: roughly the
   nanoseconds that it takes to replay so far.  */
static double
cost_of (Session *session, const Position *position)
{
  return (double) session_time (session, position->event) * 1000 + (double) position->event * 8000
         + (double) position->ticks;
}

static void
snapshot_free (gpointer data)
{
  Snapshot *snapshot = data;

  place_free (snapshot->place);
  g_free (snapshot);
}

/* Index of the first snapshot after POSITION.  */
static guint
first_after (Session *session, const Position *position)
{
  guint low = 0, high;

  if (session->snapshots == NULL)
    session->snapshots = g_ptr_array_new_with_free_func (snapshot_free);
  high = session->snapshots->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      const Snapshot *snapshot = g_ptr_array_index (session->snapshots, middle);

      if (position_compare (&snapshot->position, position) <= 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* The index of the one of KIND that is missed least, seen from FOCUS: what
   counts is the gap it would leave against how far away that is.  */
static guint
least_missed (Session *session, SnapshotKind kind, double focus)
{
  guint best = G_MAXUINT;
  double least = INFINITY;

  for (guint i = 1; i < session->snapshots->len; i++)
    {
      const Snapshot *before = g_ptr_array_index (session->snapshots, i - 1);
      const Snapshot *snapshot = g_ptr_array_index (session->snapshots, i);
      const Snapshot *after = i + 1 < session->snapshots->len ? g_ptr_array_index (session->snapshots, i + 1) : NULL;

      if (snapshot->kind != kind)
        continue;

      double at = snapshot->cost;
      double end = after != NULL ? after->cost : MAX (focus, at);
      double gap = end - before->cost;
      double missed = gap / (fabs (focus - at) + 100000);

      if (missed < least)
        {
          least = missed;
          best = i;
        }
    }
  return best;
}

static guint
count_kind (Session *session, SnapshotKind kind)
{
  guint n = 0;

  for (guint i = 0; i < session->snapshots->len; i++)
    n += ((Snapshot *) g_ptr_array_index (session->snapshots, i))->kind == kind;
  return n;
}

/* Its proportional memory.  */
static guint64
measure (const Snapshot *snapshot)
{
  g_autofree char *path
    = g_strdup_printf ("/proc/%d/smaps_rollup", replay_task (snapshot->place->replay)->tid);
  g_autofree char *text = NULL;
  const char *at;

  if (!g_file_get_contents (path, &text, NULL, NULL) || (at = strstr (text, "\nPss:")) == NULL)
    return 0;
  return g_ascii_strtoull (at + 5, NULL, 10) * 1024;
}

static guint64
measure_all (Session *session)
{
  guint64 sum = 0;

  for (guint i = 0; i < session->snapshots->len; i++)
    {
      Snapshot *snapshot = g_ptr_array_index (session->snapshots, i);

      snapshot->bytes = measure (snapshot);
      sum += snapshot->bytes;
    }
  session->measured = g_get_monotonic_time ();
  return sum;
}

/* Drop one that is not pinned; FALSE if there is none.  */
static gboolean
drop_one (Session *session, SnapshotKind kind, double focus)
{
  guint i = least_missed (session, kind, focus);

  if (i == G_MAXUINT)
    return FALSE;
  g_ptr_array_remove_index (session->snapshots, i);
  return TRUE;
}

static void
thin (Session *session, double focus)
{
  Position end;

  session_end (session, &end);
  while (count_kind (session, SNAP_NEAR) > MAX_NEAR && drop_one (session, SNAP_NEAR, focus))
    continue;
  while (count_kind (session, SNAP_STOP) > MAX_STOPS && drop_one (session, SNAP_STOP, cost_of (session, &end)))
    continue;
  if (g_get_monotonic_time () - session->measured < MEASURE_USEC)
    return;
  while (measure_all (session) > session->snapshot_limit)
    {
      guint n = session->snapshots->len;

      /* A quarter of them at a time: measuring is slow.  */
      for (guint i = 0; i < MAX (1, n / 4); i++)
        if (!drop_one (session, SNAP_NEAR, focus) && !drop_one (session, SNAP_STOP, cost_of (session, &end)))
          return;
    }
}

void
snapshots_add (Session *session, Place *place, SnapshotKind kind)
{
  g_autoptr (GError) error = NULL;
  Position position;

  if (!place_position (place, &position, &error))
    {
      place_free (place);
      return;
    }

  guint at = first_after (session, &position);

  if (at > 0)
    {
      Snapshot *same = g_ptr_array_index (session->snapshots, at - 1);

      if (position_compare (&same->position, &position) == 0)
        {
          same->kind = MAX (same->kind, kind);
          place_free (place);
          return;
        }
    }

  Snapshot *snapshot = g_new0 (Snapshot, 1);

  snapshot->place = place;
  snapshot->position = position;
  snapshot->kind = kind;
  snapshot->cost = cost_of (session, &position);
  g_ptr_array_insert (session->snapshots, (gint) at, snapshot);
  thin (session, snapshot->cost);
}

void
snapshots_add_copy (Session *session, Place *place, SnapshotKind kind)
{
  g_autoptr (GError) error = NULL;
  Position position;
  guint at;
  Place *copy;

  if (!place_position (place, &position, &error))
    return;
  at = first_after (session, &position);
  if (at > 0)
    {
      Snapshot *same = g_ptr_array_index (session->snapshots, at - 1);

      if (position_compare (&same->position, &position) == 0)
        {
          same->kind = MAX (same->kind, kind);
          return;
        }
    }
  copy = place_copy (place, &error);
  if (copy != NULL)
    snapshots_add (session, copy, kind);
}

Snapshot *
snapshots_find (Session *session, const Position *position)
{
  guint at = first_after (session, position);

  return g_ptr_array_index (session->snapshots, at > 0 ? at - 1 : 0);
}

Snapshot *
snapshots_find_before (Session *session, const Position *position)
{
  guint at = first_after (session, position);

  while (at > 0)
    {
      Snapshot *snapshot = g_ptr_array_index (session->snapshots, --at);

      if (position_compare (&snapshot->position, position) < 0)
        return snapshot;
    }
  return NULL;
}

void
snapshots_unpin (Session *session, const Position *position)
{
  Snapshot *snapshot = snapshots_find (session, position);

  if (position_compare (&snapshot->position, position) == 0 && snapshot != g_ptr_array_index (session->snapshots, 0))
    snapshot->kind = SNAP_STOP;
}

void
session_drop_snapshots (Session *session)
{
  if (session->snapshots->len > 1)
    g_ptr_array_remove_range (session->snapshots, 1, session->snapshots->len - 1);
}

void
session_set_snapshot_memory (Session *session, guint64 bytes)
{
  session->snapshot_limit = bytes != 0 ? bytes : (guint64) sysconf (_SC_PHYS_PAGES) * PAGE_SIZE_ / 4;
  session->measured = 0;
}

void
session_set_snapshot_interval (Session *session, guint64 usec)
{
  session->options.snapshot_usec = usec;
}

void
session_snapshot_stats (Session *session, guint *count_ret, guint64 *bytes_ret)
{
  *count_ret = session->snapshots->len;
  *bytes_ret = measure_all (session);
}

GArray *
session_snapshot_positions (Session *session)
{
  GArray *positions = g_array_new (FALSE, FALSE, sizeof (Position));

  for (guint i = 0; i < session->snapshots->len; i++)
    {
      const Snapshot *snapshot = g_ptr_array_index (session->snapshots, i);

      g_array_append_val (positions, snapshot->position);
    }
  return positions;
}
