/* Reading any event: its chunk is found by bisection, decoded whole, and
   kept with the few last used.  */

#include "base/error.h"
#include "log/log-private.h"

static void
decoded_free (Decoded *decoded)
{
  g_ptr_array_unref (decoded->events);
  g_free (decoded);
}

void
log_cache_clear (Log *log)
{
  for (int i = 0; i < CACHE_CHUNKS; i++)
    if (log->cache[i] != NULL)
      decoded_free (g_steal_pointer (&log->cache[i]));
  log->last = NULL;
}

static gsize
cache_weight (const Log *log)
{
  gsize weight = 0;

  for (int i = 0; i < CACHE_CHUNKS; i++)
    if (log->cache[i] != NULL)
      weight += log->cache[i]->weight;
  return weight;
}

/* The slot to give away: an empty one, else the least recently used, but
   not that of the event last given out.  */
static int
oldest_slot (const Log *log, gboolean empty_too)
{
  int oldest = -1;

  for (int i = 0; i < CACHE_CHUNKS; i++)
    {
      if (log->cache[i] == NULL)
        {
          if (empty_too)
            return i;
          continue;
        }
      if (log->cache[i] != log->last && (oldest < 0 || log->cache[i]->used < log->cache[oldest]->used))
        oldest = i;
    }
  return oldest;
}

void
log_cache_add (Log *log, Decoded *decoded)
{
  int slot;

  while (cache_weight (log) + decoded->weight > CACHE_WEIGHT && (slot = oldest_slot (log, FALSE)) >= 0)
    decoded_free (g_steal_pointer (&log->cache[slot]));
  slot = oldest_slot (log, TRUE);
  if (log->cache[slot] != NULL)
    decoded_free (log->cache[slot]);
  decoded->used = ++log->clock;
  log->cache[slot] = decoded;
}

/* Number (in event_refs) of the chunk that holds event N.  */
static guint
find_chunk (const Log *log, EventNo n)
{
  guint low = 0, high = log->event_refs->len;

  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;
      guint ref = g_array_index (log->event_refs, guint, middle);

      if (g_array_index (log->refs, ChunkRef, ref).first <= n)
        low = middle;
      else
        high = middle;
    }
  return low;
}

static gboolean
decode_events (Decoded *decoded, GBytes *raw, guint32 count, GError **error)
{
  g_autoptr (Codec) codec = codec_new ();
  gsize size;
  const guint8 *data = g_bytes_get_data (raw, &size);
  Cursor in;

  cursor_init (&in, data, size);
  for (guint32 i = 0; i < count; i++)
    {
      Event *event = codec_decode (codec, &in, raw, error);

      if (event == NULL)
        {
          g_prefix_error (error, "event %" G_GUINT64_FORMAT ": ", decoded->first + i);
          return FALSE;
        }
      g_ptr_array_add (decoded->events, event);
    }
  if (cursor_left (&in) != 0)
    return error_set (error, RETRO_ERROR_FORMAT, "bytes behind event %" G_GUINT64_FORMAT,
                      decoded->first + count - 1);
  decoded->weight = size + codec_weight (codec);
  return TRUE;
}

static Decoded *
decode_chunk (Log *log, guint number, GError **error)
{
  const ChunkRef *ref = &g_array_index (log->refs, ChunkRef, g_array_index (log->event_refs, guint, number));
  g_autoptr (GBytes) raw = NULL;
  Decoded *decoded;
  ChunkHead head;

  if (!chunk_read_head (log->fd, ref->offset, ref->offset + ref->size, &head, error))
    return NULL;
  if (head.type != ref->type || head.first != ref->first || head.count != ref->count
      || CHUNK_HEAD_SIZE + head.stored_size != ref->size)
    {
      error_set (error, RETRO_ERROR_FORMAT,
                 "the chunk at byte %" G_GUINT64_FORMAT " is not what the index says", ref->offset);
      return NULL;
    }
  if (!chunk_read (log->fd, ref->offset, &head, &raw, error))
    return NULL;

  decoded = g_new0 (Decoded, 1);
  decoded->ref = number;
  decoded->first = ref->first;
  decoded->events = g_ptr_array_new_full (ref->count, (GDestroyNotify) event_free);
  if (!decode_events (decoded, raw, ref->count, error))
    {
      decoded_free (decoded);
      return NULL;
    }
  return decoded;
}

/* The chunk with event N, decoded.  */
static Decoded *
get_chunk (Log *log, EventNo n, GError **error)
{
  guint number = find_chunk (log, n);
  Decoded *decoded;

  for (int i = 0; i < CACHE_CHUNKS; i++)
    if (log->cache[i] != NULL && log->cache[i]->ref == number)
      return log->cache[i];
  log->last = NULL;
  decoded = decode_chunk (log, number, error);
  if (decoded == NULL)
    g_prefix_error (error, "%s: ", log->path);
  else
    log_cache_add (log, decoded);
  return decoded;
}

const Event *
log_get (Log *log, EventNo n, GError **error)
{
  if (n >= log_length (log))
    {
      error_set (error, RETRO_ERROR_USAGE,
                 "there is no event %" G_GUINT64_FORMAT ": the recording has %" G_GUINT64_FORMAT, n,
                 log_length (log));
      return NULL;
    }
  if (n >= log->on_disk)
    return g_ptr_array_index (log->pending, n - log->on_disk);
  if (log->last == NULL || n < log->last->first || n - log->last->first >= log->last->events->len)
    {
      Decoded *decoded = get_chunk (log, n, error);

      if (decoded == NULL)
        return NULL;
      decoded->used = ++log->clock;
      log->last = decoded;
    }
  return g_ptr_array_index (log->last->events, n - log->last->first);
}
