/* Packing, checking and unpacking of chunks: see chunk.h.  */

#include "log/chunk.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/hash.h"

#include <errno.h>
#include <unistd.h>
#include <zstd.h>

#define MAGIC 0x4b484352u /* "RCHK"  */
#define CHECKED_SIZE 32   /* bytes of the head before the checksum  */
#define LEVEL 1

static guint64
checksum (const guint8 *head, const guint8 *stored, gsize stored_size)
{
  return hash_bytes (stored, stored_size, hash_bytes (head, CHECKED_SIZE, 0));
}

static void
put_head (GByteArray *out, const ChunkHead *head)
{
  put_u32 (out, MAGIC);
  put_u32 (out, head->type);
  put_u64 (out, head->first);
  put_u32 (out, head->count);
  put_u32 (out, head->raw_size);
  put_u32 (out, head->stored_size);
  put_u32 (out, 0);
}

GByteArray *
chunk_pack (ChunkType type, guint64 first, guint32 count, const guint8 *raw, gsize raw_size)
{
  static ZSTD_CCtx *context;
  gsize bound = ZSTD_compressBound (raw_size), size;
  GByteArray *out = g_byte_array_sized_new ((guint) (CHUNK_HEAD_SIZE + bound));
  ChunkHead head = { .type = type, .first = first, .count = count, .raw_size = (guint32) raw_size };
  g_autoptr (GByteArray) front = g_byte_array_new ();

  g_assert (raw_size <= CHUNK_RAW_MAX && count <= CHUNK_COUNT_MAX);
  if (context == NULL)
    context = ZSTD_createCCtx ();
  g_byte_array_set_size (out, (guint) (CHUNK_HEAD_SIZE + bound));
  size = ZSTD_compressCCtx (context, out->data + CHUNK_HEAD_SIZE, bound, raw, raw_size, LEVEL);
  g_assert (!ZSTD_isError (size));
  g_byte_array_set_size (out, (guint) (CHUNK_HEAD_SIZE + size));

  head.stored_size = (guint32) size;
  put_head (front, &head);
  put_u64 (front, checksum (front->data, out->data + CHUNK_HEAD_SIZE, size));
  g_assert (front->len == CHUNK_HEAD_SIZE);
  memcpy (out->data, front->data, CHUNK_HEAD_SIZE);
  return out;
}

/* Read all LENGTH bytes at OFFSET.  */
static gboolean
read_all (int fd, guint64 offset, guint8 *buffer, gsize length, GError **error)
{
  while (length > 0)
    {
      gssize got = pread (fd, buffer, length, (gint64) offset);

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return error_set_errno (error, "cannot read the log at byte %" G_GUINT64_FORMAT, offset);
      if (got == 0)
        return error_set (error, RETRO_ERROR_FORMAT, "the log ends early, at byte %" G_GUINT64_FORMAT,
                          offset);
      buffer += got;
      offset += (guint64) got;
      length -= (gsize) got;
    }
  return TRUE;
}

gboolean
chunk_read_head (int fd, guint64 offset, guint64 size, ChunkHead *head_ret, GError **error)
{
  guint8 bytes[CHUNK_HEAD_SIZE];
  ChunkHead head;
  guint32 magic, reserved;
  Cursor in;

  if (offset > size || size - offset < CHUNK_HEAD_SIZE)
    return error_set (error, RETRO_ERROR_FORMAT, "the log ends inside a chunk at byte %" G_GUINT64_FORMAT,
                      offset);
  if (!read_all (fd, offset, bytes, sizeof bytes, error))
    return FALSE;
  cursor_init (&in, bytes, sizeof bytes);
  magic = cursor_u32 (&in);
  head.type = cursor_u32 (&in);
  head.first = cursor_u64 (&in);
  head.count = cursor_u32 (&in);
  head.raw_size = cursor_u32 (&in);
  head.stored_size = cursor_u32 (&in);
  reserved = cursor_u32 (&in);
  head.checksum = cursor_u64 (&in);

  if (magic != MAGIC || reserved != 0 || head.type < CHUNK_HEADER || head.type >= CHUNK_TYPES)
    return error_set (error, RETRO_ERROR_FORMAT, "no chunk at byte %" G_GUINT64_FORMAT " of the log", offset);
  if (head.raw_size > CHUNK_RAW_MAX || head.count > CHUNK_COUNT_MAX
      || head.stored_size > ZSTD_compressBound (head.raw_size))
    return error_set (error, RETRO_ERROR_FORMAT, "impossible sizes in the chunk at byte %" G_GUINT64_FORMAT,
                      offset);
  if (head.stored_size > size - offset - CHUNK_HEAD_SIZE)
    return error_set (error, RETRO_ERROR_FORMAT, "the log ends inside the chunk at byte %" G_GUINT64_FORMAT,
                      offset);
  *head_ret = head;
  return TRUE;
}

gboolean
chunk_read (int fd, guint64 offset, const ChunkHead *head, GBytes **raw_ret, GError **error)
{
  static ZSTD_DCtx *context;
  gsize size = CHUNK_HEAD_SIZE + (gsize) head->stored_size, got;
  g_autofree guint8 *bytes = g_malloc (size);
  g_autofree guint8 *raw = NULL;

  if (!read_all (fd, offset, bytes, size, error))
    return FALSE;
  if (checksum (bytes, bytes + CHUNK_HEAD_SIZE, head->stored_size) != head->checksum)
    return error_set (error, RETRO_ERROR_FORMAT,
                      "the chunk at byte %" G_GUINT64_FORMAT " of the log is damaged", offset);
  if (raw_ret == NULL)
    return TRUE;

  if (context == NULL)
    context = ZSTD_createDCtx ();
  raw = g_malloc (MAX (head->raw_size, 1));
  got = ZSTD_decompressDCtx (context, raw, head->raw_size, bytes + CHUNK_HEAD_SIZE, head->stored_size);
  if (ZSTD_isError (got) || got != head->raw_size)
    return error_set (error, RETRO_ERROR_FORMAT,
                      "the chunk at byte %" G_GUINT64_FORMAT " does not decompress: %s", offset,
                      ZSTD_isError (got) ? ZSTD_getErrorName (got) : "wrong size");
  *raw_ret = g_bytes_new_take (g_steal_pointer (&raw), head->raw_size);
  return TRUE;
}
