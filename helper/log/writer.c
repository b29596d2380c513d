/* Appending: events are encoded as they come and written a chunk at a
   time.  A chunk ends when it is large enough, or when a second has passed
   (by the events' own time, which costs no call), so that a recorder that
   is killed loses little.  */

#include "base/error.h"
#include "log/log-private.h"

static gsize
writes_size (const Event *event)
{
  gsize size = 0;

  for (guint i = 0; event->writes != NULL && i < event->writes->len; i++)
    size += g_bytes_get_size (g_array_index (event->writes, MemWrite, i).data);
  return size;
}

/* Leave EVENT the first EVENT_BYTES_MAX bytes of its writes; the rest goes
   to the event returned, which comes behind it.  */
static Event *
split_event (Event *event)
{
  Event *rest = event_new (EV_MEMORY, event->thread);
  GArray *writes = g_steal_pointer (&event->writes);
  gsize room = EVENT_BYTES_MAX;

  for (guint i = 0; i < writes->len; i++)
    {
      const MemWrite *w = &g_array_index (writes, MemWrite, i);
      gsize size = g_bytes_get_size (w->data), here = MIN (size, room);

      if (here > 0 || size == 0)
        {
          g_autoptr (GBytes) part = g_bytes_new_from_bytes (w->data, 0, here);

          event_add_write_bytes (event, w->addr, part);
        }
      if (here < size)
        {
          g_autoptr (GBytes) part = g_bytes_new_from_bytes (w->data, here, size - here);

          event_add_write_bytes (rest, w->addr + here, part);
        }
      room -= here;
    }
  g_array_unref (writes);
  rest->time = event->time;
  rest->has_digest = event->has_digest;
  rest->digest = event->digest;
  event->has_digest = FALSE;
  return rest;
}

/* Remember ERROR as the reason why nothing can be written any more.  */
static gboolean
note_failure (Log *log, GError *failure, GError **error)
{
  log->failure = failure;
  g_propagate_error (error, g_error_copy (failure));
  return FALSE;
}

/* The pending events have become a chunk on disk: keep them as decoded.  */
static void
keep_pending (Log *log)
{
  Decoded *decoded = g_new0 (Decoded, 1);

  decoded->ref = log->event_refs->len - 1;
  decoded->first = log->on_disk;
  decoded->weight = log->raw->len + log->pending->len * sizeof (Event);
  decoded->events = g_steal_pointer (&log->pending);
  log->on_disk += decoded->events->len;
  log_cache_add (log, decoded);
  log->pending = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);
  g_byte_array_set_size (log->raw, 0);
  codec_free (log->codec);
  log->codec = codec_new ();
}

gboolean
log_flush (Log *log, GError **error)
{
  GError *failure = NULL;

  if (log->failure != NULL)
    {
      g_propagate_error (error, g_error_copy (log->failure));
      return FALSE;
    }
  if (!log->writing)
    return TRUE;
  if (!log_write_files (log, &failure))
    return note_failure (log, failure, error);
  if (log->pending->len == 0)
    return TRUE;
  if (!log_write_chunk (log, CHUNK_EVENTS, log->on_disk, log->pending->len, log->raw, &failure))
    return note_failure (log, failure, error);
  keep_pending (log);
  return TRUE;
}

static gboolean
append_one (Log *log, Event *event, GError **error)
{
  guint64 time = event->time;

  codec_encode (log->codec, event, log->raw);
  g_ptr_array_add (log->pending, event);
  if (log->raw->len < FLUSH_BYTES && log->pending->len < FLUSH_EVENTS && time - log->flushed < FLUSH_TIME)
    return TRUE;
  log->flushed = time;
  return log_flush (log, error);
}

gboolean
log_append (Log *log, Event *event, GError **error)
{
  g_assert (log->writing);
  if (log->failure != NULL)
    {
      event_free (event);
      g_propagate_error (error, g_error_copy (log->failure));
      return FALSE;
    }
  while (event->writes != NULL && writes_size (event) > EVENT_BYTES_MAX)
    {
      Event *rest = split_event (event);

      if (!append_one (log, event, error))
        {
          event_free (rest);
          return FALSE;
        }
      event = rest;
    }
  return append_one (log, event, error);
}
