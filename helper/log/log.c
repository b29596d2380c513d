/* Life of a Log: making, opening, closing, and the bytes that reach the
   disk.  The file's layout is described in doc/log-format.md.

   All writing goes through log_write at a known end: a write that fails in
   the middle is cut off again, so that what the file holds is always a row
   of whole chunks, whatever happens next.  */

#include "base/cursor.h"
#include "base/error.h"
#include "log/log-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRING_MAX (32u << 20)
#define HEADER_CHECK 1
#define HEADER_CPUID 2

static void
header_clear (LogHeader *header)
{
  g_strfreev (header->argv);
  g_free (header->program);
  g_free (header->cwd);
  g_free (header->cpu);
}

static char *
copy_string (const char *string)
{
  return g_strdup (string != NULL ? string : "");
}

static void
header_copy (LogHeader *to, const LogHeader *from)
{
  *to = *from;
  to->argv = from->argv != NULL ? g_strdupv (from->argv) : g_new0 (char *, 1);
  to->program = copy_string (from->program);
  to->cwd = copy_string (from->cwd);
  to->cpu = copy_string (from->cpu);
}

static Log *
log_new (const char *dir)
{
  Log *log = g_new0 (Log, 1);

  log->dir = g_canonicalize_filename (dir, NULL);
  log->path = g_build_filename (log->dir, "log", NULL);
  log->fd = -1;
  log->refs = g_array_new (FALSE, FALSE, sizeof (ChunkRef));
  log->event_refs = g_array_new (FALSE, FALSE, sizeof (guint));
  log->raw = g_byte_array_new ();
  log->pending = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);
  log_files_init (log);
  return log;
}

static void
log_free (Log *log)
{
  if (log->fd >= 0)
    close (log->fd);
  log_cache_clear (log);
  log_files_clear (log);
  header_clear (&log->header);
  codec_free (log->codec);
  g_byte_array_unref (log->raw);
  g_ptr_array_unref (log->pending);
  g_array_unref (log->refs);
  g_array_unref (log->event_refs);
  g_clear_error (&log->failure);
  g_free (log->path);
  g_free (log->dir);
  g_free (log);
}

gboolean
log_write (Log *log, const guint8 *data, gsize length, GError **error)
{
  gsize done = 0;

  while (done < length)
    {
      gssize n = pwrite (log->fd, data + done, length - done, (gint64) (log->end + done));

      if (n < 0 && errno == EINTR)
        continue;
      if (n > 0)
        {
          done += (gsize) n;
          continue;
        }
      if (n == 0 || errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
        error_set (error, RETRO_ERROR_LIMIT, "disk full while writing %s (%s)", log->path,
                   g_strerror (n == 0 ? ENOSPC : errno));
      else
        error_set_errno (error, "cannot write %s", log->path);
      if (ftruncate (log->fd, (gint64) log->end) != 0)
        g_debug ("cannot cut %s off: %s", log->path, g_strerror (errno));
      return FALSE;
    }
  log->end += length;
  return TRUE;
}

gboolean
log_write_chunk (Log *log, ChunkType type, guint64 first, guint32 count, const GByteArray *raw,
                 GError **error)
{
  g_autoptr (GByteArray) chunk = chunk_pack (type, first, count, raw->data, raw->len);
  ChunkRef ref = { .type = type, .offset = log->end, .size = chunk->len, .count = count, .first = first };

  if (!log_write (log, chunk->data, chunk->len, error))
    return FALSE;
  if (type == CHUNK_EVENTS)
    g_array_append_val (log->event_refs, log->refs->len);
  if (type == CHUNK_EVENTS || type == CHUNK_FILES)
    g_array_append_val (log->refs, ref);
  return TRUE;
}

static gboolean
write_header (Log *log, GError **error)
{
  const LogHeader *h = &log->header;
  g_autoptr (GByteArray) out = g_byte_array_new ();

  g_byte_array_append (out, (const guint8 *) LOG_MAGIC, 8);
  put_u32 (out, LOG_VERSION);
  put_u32 (out, 0);
  if (!log_write (log, out->data, out->len, error))
    return FALSE;

  g_byte_array_set_size (out, 0);
  put_varint (out, g_strv_length (h->argv));
  for (char **arg = h->argv; *arg != NULL; arg++)
    put_string (out, *arg);
  put_string (out, h->program);
  put_string (out, h->cwd);
  put_varint (out, h->start_time);
  put_varint (out, h->seed);
  put_u8 (out, (h->check ? HEADER_CHECK : 0) | (h->traps_cpuid ? HEADER_CPUID : 0));
  put_string (out, h->cpu);
  return log_write_chunk (log, CHUNK_HEADER, 0, 0, out, error);
}

static gboolean
dir_is_empty (const char *dir, GError **error)
{
  g_autoptr (GDir) entries = g_dir_open (dir, 0, NULL);

  if (entries == NULL)
    return error_set_errno (error, "cannot open directory %s", dir);
  if (g_dir_read_name (entries) != NULL)
    return error_set (error, RETRO_ERROR_USAGE, "directory %s is not empty", dir);
  return TRUE;
}

Log *
log_create (const char *dir, const LogHeader *header, GError **error)
{
  g_autoptr (Log) log = log_new (dir);

  if (!dir_is_empty (log->dir, error))
    return NULL;
  log->fd = open (log->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (log->fd < 0)
    {
      error_set_errno (error, "cannot create %s", log->path);
      return NULL;
    }
  header_copy (&log->header, header);
  if (!write_header (log, error))
    {
      unlink (log->path);
      return NULL;
    }
  log->codec = codec_new ();
  log->writing = TRUE;
  return g_steal_pointer (&log);
}

static gboolean
parse_header (LogHeader *h, GBytes *raw)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (raw, &size);
  guint8 flags;
  Cursor in;
  guint64 n;

  cursor_init (&in, data, size);
  n = cursor_varint (&in);
  if (in.failed || n > cursor_left (&in))
    n = 0;
  h->argv = g_new0 (char *, n + 1);
  for (guint64 i = 0; i < n && !in.failed; i++)
    h->argv[i] = cursor_string (&in, STRING_MAX);
  h->program = cursor_string (&in, STRING_MAX);
  h->cwd = cursor_string (&in, STRING_MAX);
  h->start_time = cursor_varint (&in);
  h->seed = cursor_varint32 (&in);
  flags = cursor_u8 (&in);
  h->check = (flags & HEADER_CHECK) != 0;
  h->traps_cpuid = (flags & HEADER_CPUID) != 0;
  h->cpu = cursor_string (&in, STRING_MAX);
  return !in.failed;
}

static gboolean
read_header (Log *log, guint64 size, GError **error)
{
  guint8 start[LOG_START] = { 0 };
  g_autoptr (GBytes) raw = NULL;
  ChunkHead head;
  guint32 version;
  Cursor in;

  if (pread (log->fd, start, sizeof start, 0) != sizeof start || memcmp (start, LOG_MAGIC, 8) != 0)
    return error_set (error, RETRO_ERROR_FORMAT, "not a log of Retro");
  cursor_init (&in, start + 8, 8);
  version = cursor_u32 (&in);
  if (version != LOG_VERSION)
    return error_set (error, RETRO_ERROR_FORMAT, "format version %u, this Retro reads version %d", version,
                      LOG_VERSION);
  if (cursor_u32 (&in) != 0)
    return error_set (error, RETRO_ERROR_FORMAT, "not a log of Retro");
  if (!chunk_read_head (log->fd, LOG_START, size, &head, error))
    return FALSE;
  if (head.type != CHUNK_HEADER)
    return error_set (error, RETRO_ERROR_FORMAT, "the log does not begin with its header");
  if (!chunk_read (log->fd, LOG_START, &head, &raw, error))
    return FALSE;
  if (!parse_header (&log->header, raw))
    return error_set (error, RETRO_ERROR_FORMAT, "malformed header");
  log->end = LOG_START + CHUNK_HEAD_SIZE + (guint64) head.stored_size;
  return TRUE;
}

static gboolean
open_and_read (Log *log, GError **error)
{
  struct stat st;
  g_autoptr (GError) no_index = NULL;

  log->fd = open (log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (log->fd < 0 || fstat (log->fd, &st) != 0)
    return error_set_errno (error, "cannot open the recording");
  if (!S_ISREG (st.st_mode))
    return error_set (error, RETRO_ERROR_FORMAT, "not a regular file");
  if (!read_header (log, (guint64) st.st_size, error))
    return FALSE;
  if (!log_read_index (log, (guint64) st.st_size, &no_index))
    {
      log->truncated = TRUE;
      log_scan (log, (guint64) st.st_size);
    }
  return TRUE;
}

Log *
log_open (const char *dir, GError **error)
{
  g_autoptr (Log) log = log_new (dir);

  if (!open_and_read (log, error))
    {
      g_prefix_error (error, "%s: ", log->path);
      return NULL;
    }
  return g_steal_pointer (&log);
}

static gboolean
finish (Log *log, GError **error)
{
  if (!log_flush (log, error) || !log_write_index (log, error))
    return FALSE;
  if (fdatasync (log->fd) != 0 && errno != EINVAL && errno != EROFS)
    return error_set_errno (error, "cannot write %s", log->path);
  return TRUE;
}

gboolean
log_close (Log *log, GError **error)
{
  gboolean ok;

  if (log == NULL)
    return TRUE;
  ok = !log->writing || finish (log, error);
  log_free (log);
  return ok;
}

void
log_abandon (Log *log)
{
  log_close (log, NULL);
}

const LogHeader *
log_header (const Log *log)
{
  return &log->header;
}

const char *
log_dir (const Log *log)
{
  return log->dir;
}

gboolean
log_is_truncated (const Log *log)
{
  return log->truncated;
}

EventNo
log_length (const Log *log)
{
  return log->on_disk + log->pending->len;
}

guint64
log_bytes (const Log *log)
{
  return log->end;
}
