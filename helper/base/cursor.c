/* The cursor of cursor.h.  Contracts are there.  */

#include "base/cursor.h"

#include <string.h>

void
cursor_init (Cursor *cursor, gconstpointer data, gsize length)
{
  static const guint8 nothing[1];

  /* An empty GBytes has no address, and NULL + 0 is not for C.  */
  cursor->start = cursor->at = data != NULL ? data : nothing;
  cursor->end = cursor->start + length;
  cursor->failed = FALSE;
}

void
cursor_fail (Cursor *cursor)
{
  cursor->at = cursor->end;
  cursor->failed = TRUE;
}

const guint8 *
cursor_take (Cursor *cursor, gsize length)
{
  const guint8 *at = cursor->at;

  if (length > cursor_left (cursor))
    {
      cursor_fail (cursor);
      return NULL;
    }
  cursor->at += length;
  return at;
}

void
cursor_read (Cursor *cursor, void *buffer, gsize length)
{
  const guint8 *at = cursor_take (cursor, length);

  if (length == 0)
    return;
  if (at != NULL)
    memcpy (buffer, at, length);
  else
    memset (buffer, 0, length);
}

guint8
cursor_u8 (Cursor *cursor)
{
  const guint8 *at = cursor_take (cursor, 1);

  return at != NULL ? *at : 0;
}

guint32
cursor_u32 (Cursor *cursor)
{
  guint32 value;

  cursor_read (cursor, &value, sizeof value);
  return GUINT32_FROM_LE (value);
}

guint64
cursor_u64 (Cursor *cursor)
{
  guint64 value;

  cursor_read (cursor, &value, sizeof value);
  return GUINT64_FROM_LE (value);
}

guint64
cursor_varint (Cursor *cursor)
{
  guint64 value = 0;

  for (unsigned shift = 0; shift < 64; shift += 7)
    {
      if (cursor->at == cursor->end)
        break;

      guint8 byte = *cursor->at++;

      if (shift == 63 && byte > 1)
        break;
      value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
  cursor_fail (cursor);
  return 0;
}

gint64
cursor_svarint (Cursor *cursor)
{
  guint64 value = cursor_varint (cursor);

  return (gint64) ((value >> 1) ^ (0 - (value & 1)));
}

guint32
cursor_varint32 (Cursor *cursor)
{
  guint64 value = cursor_varint (cursor);

  if (value > G_MAXUINT32)
    {
      cursor_fail (cursor);
      return 0;
    }
  return (guint32) value;
}

char *
cursor_string (Cursor *cursor, gsize max)
{
  guint64 length = cursor_varint (cursor);
  const guint8 *at;

  if (cursor->failed || length > max || length > cursor_left (cursor))
    {
      cursor_fail (cursor);
      return NULL;
    }
  at = cursor_take (cursor, length);
  if (memchr (at, 0, length) != NULL)
    {
      cursor_fail (cursor);
      return NULL;
    }
  return g_strndup ((const char *) at, length);
}

void
put_u8 (GByteArray *out, guint8 value)
{
  g_byte_array_append (out, &value, 1);
}

void
put_u32 (GByteArray *out, guint32 value)
{
  value = GUINT32_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

void
put_u64 (GByteArray *out, guint64 value)
{
  value = GUINT64_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

void
put_varint (GByteArray *out, guint64 value)
{
  guint8 bytes[10];
  guint n = 0;

  while (value >= 0x80)
    {
      bytes[n++] = (guint8) (value | 0x80);
      value >>= 7;
    }
  bytes[n++] = (guint8) value;
  g_byte_array_append (out, bytes, n);
}

void
put_svarint (GByteArray *out, gint64 value)
{
  put_varint (out, ((guint64) value << 1) ^ (value < 0 ? G_MAXUINT64 : 0));
}

void
put_string (GByteArray *out, const char *string)
{
  gsize length = strlen (string);

  put_varint (out, length);
  g_byte_array_append (out, (const guint8 *) string, (guint) length);
}
