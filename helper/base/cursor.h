/* A bounds-checked cursor over bytes that nobody trusts: the log, packets.

   Every read checks what is left.  A read past the end marks the cursor as
   failed and gives zeros from then on, so a parser reads all fields of a
   record and asks once:

     Cursor c;
     cursor_init (&c, data, length);
     count = cursor_varint (&c);
     if (c.failed || count > cursor_left (&c)) ... malformed

   A count must be held against cursor_left before anything is allocated
   for it.  Numbers are little-endian.  The bytes stay the caller's.  */

#ifndef RETRO_BASE_CURSOR_H
#define RETRO_BASE_CURSOR_H

#include <glib.h>

typedef struct
{
  const guint8 *start, *at, *end;
  gboolean failed;
} Cursor;

void cursor_init (Cursor *cursor, gconstpointer data, gsize length);

static inline gsize
cursor_left (const Cursor *cursor)
{
  return (gsize) (cursor->end - cursor->at);
}

/* Bytes consumed so far.  */
static inline gsize
cursor_offset (const Cursor *cursor)
{
  return (gsize) (cursor->at - cursor->start);
}

/* Give up: nothing is left and `failed' is set.  */
void cursor_fail (Cursor *cursor);

/* The next LENGTH bytes in place, or NULL.  */
const guint8 *cursor_take (Cursor *cursor, gsize length);
/* Copy LENGTH bytes; zeros if there are not so many.  */
void cursor_read (Cursor *cursor, void *buffer, gsize length);

guint8 cursor_u8 (Cursor *cursor);
guint32 cursor_u32 (Cursor *cursor);
guint64 cursor_u64 (Cursor *cursor);

/* Seven bits a byte, the low ones first, the top bit on all but the last;
   at most ten bytes.  */
guint64 cursor_varint (Cursor *cursor);
/* The same for signed numbers, zigzag: 0, -1, 1, -2 ...  */
gint64 cursor_svarint (Cursor *cursor);
/* A varint that must fit 32 bits.  */
guint32 cursor_varint32 (Cursor *cursor);
/* A varint length and so many bytes: a new string, or NULL if they are
   more than MAX or contain a NUL.  */
char *cursor_string (Cursor *cursor, gsize max);

/* The writing counterparts.  */
void put_u8 (GByteArray *out, guint8 value);
void put_u32 (GByteArray *out, guint32 value);
void put_u64 (GByteArray *out, guint64 value);
void put_varint (GByteArray *out, guint64 value);
void put_svarint (GByteArray *out, gint64 value);
void put_string (GByteArray *out, const char *string);

#endif
