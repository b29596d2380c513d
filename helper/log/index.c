/* The index at the end of a log: type, size and count of each chunk in
   the order of the file; offsets and event numbers are their sums.  A log
   without a good index is scanned instead.  */

#include "base/cursor.h"
#include "base/error.h"
#include "log/log-private.h"

#include <string.h>
#include <unistd.h>

/* Take in the chunk REF, which comes next.  */
static gboolean
add_ref (Log *log, const ChunkRef *ref, GError **error)
{
  ChunkHead head;

  if (ref->type == CHUNK_FILES)
    {
      if (!chunk_read_head (log->fd, ref->offset, ref->offset + ref->size, &head, error)
          || !log_read_files (log, ref, &head, error))
        return FALSE;
    }
  else
    {
      g_array_append_val (log->event_refs, log->refs->len);
      log->on_disk += ref->count;
    }
  g_array_append_val (log->refs, *ref);
  log->end = ref->offset + ref->size;
  return TRUE;
}

gboolean
log_write_index (Log *log, GError **error)
{
  g_autoptr (GByteArray) raw = g_byte_array_new ();
  guint64 offset = log->end, before = log->end;

  put_varint (raw, log->refs->len);
  for (guint i = 0; i < log->refs->len; i++)
    {
      const ChunkRef *ref = &g_array_index (log->refs, ChunkRef, i);

      put_u8 (raw, (guint8) ref->type);
      put_varint (raw, ref->size);
      put_varint (raw, ref->count);
    }
  if (raw->len > CHUNK_RAW_MAX) /* 50 billion events: the reader will scan  */
    return TRUE;
  if (!log_write_chunk (log, CHUNK_INDEX, 0, 0, raw, error))
    return FALSE;
  g_byte_array_set_size (raw, 0);
  put_u64 (raw, offset);
  g_byte_array_append (raw, (const guint8 *) LOG_MAGIC_END, 8);
  if (log_write (log, raw->data, raw->len, error))
    return TRUE;
  log->end = before;
  if (ftruncate (log->fd, (gint64) before) != 0)
    g_debug ("cannot cut off the index of %s", log->path);
  return FALSE;
}

/* Parse the index RAW of chunks that end at END.  */
static gboolean
parse_index (Log *log, GBytes *raw, guint64 end, GError **error)
{
  guint64 offset = log->end;
  gsize size;
  const guint8 *data = g_bytes_get_data (raw, &size);
  guint32 n;
  Cursor in;

  cursor_init (&in, data, size);
  n = cursor_varint32 (&in);
  for (guint32 i = 0; i < n && !in.failed; i++)
    {
      ChunkRef ref = { .type = cursor_u8 (&in), .offset = offset };

      ref.size = cursor_varint32 (&in);
      ref.count = cursor_varint32 (&in);
      ref.first = ref.type == CHUNK_FILES ? log->files->len : log->on_disk;
      if (in.failed || (ref.type != CHUNK_FILES && ref.type != CHUNK_EVENTS) || ref.size < CHUNK_HEAD_SIZE
          || ref.size > end - offset || ref.count == 0 || ref.count > CHUNK_COUNT_MAX)
        return error_set (error, RETRO_ERROR_FORMAT, "malformed index");
      offset += ref.size;
      if (!add_ref (log, &ref, error))
        return FALSE;
    }
  if (in.failed || cursor_left (&in) != 0 || offset != end)
    return error_set (error, RETRO_ERROR_FORMAT, "malformed index");
  return TRUE;
}

static void
forget_refs (Log *log, guint64 end)
{
  g_array_set_size (log->refs, 0);
  g_array_set_size (log->event_refs, 0);
  g_ptr_array_set_size (log->files, 0);
  log->on_disk = 0;
  log->names_size = 0;
  log->end = end;
}

gboolean
log_read_index (Log *log, guint64 size, GError **error)
{
  guint8 trailer[LOG_TRAILER];
  g_autoptr (GBytes) raw = NULL;
  guint64 start = log->end, offset;
  ChunkHead head;
  Cursor in;

  if (size < start + LOG_TRAILER
      || pread (log->fd, trailer, sizeof trailer, (gint64) (size - LOG_TRAILER)) != sizeof trailer
      || memcmp (trailer + 8, LOG_MAGIC_END, 8) != 0)
    return error_set (error, RETRO_ERROR_FORMAT, "no index");
  cursor_init (&in, trailer, sizeof trailer);
  offset = cursor_u64 (&in);
  if (offset < start || !chunk_read_head (log->fd, offset, size - LOG_TRAILER, &head, error)
      || head.type != CHUNK_INDEX || !chunk_read (log->fd, offset, &head, &raw, error)
      || !parse_index (log, raw, offset, error))
    {
      forget_refs (log, start);
      return FALSE;
    }
  return TRUE;
}

void
log_scan (Log *log, guint64 size)
{
  ChunkHead head;

  while (chunk_read_head (log->fd, log->end, size, &head, NULL))
    {
      guint64 expected = head.type == CHUNK_FILES ? log->files->len : log->on_disk;
      ChunkRef ref = { .type = head.type,
                       .offset = log->end,
                       .size = CHUNK_HEAD_SIZE + head.stored_size,
                       .count = head.count,
                       .first = head.first };

      if ((head.type != CHUNK_FILES && head.type != CHUNK_EVENTS) || head.first != expected || head.count == 0
          || !chunk_read (log->fd, log->end, &head, NULL, NULL) || !add_ref (log, &ref, NULL))
        break;
    }
}
