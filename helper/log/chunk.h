/* Chunks: the frames that the log file is made of.  doc/log-format.md has
   the layout.

   A chunk stands alone: a header with sizes and a checksum of all of it,
   then a zstd frame.  Whoever reads one knows that every byte is as it was
   written, but not that the writer was honest: contents are for the
   reader's owner to check.  */

#ifndef RETRO_LOG_CHUNK_H
#define RETRO_LOG_CHUNK_H

#include <glib.h>

typedef enum
{
  CHUNK_HEADER = 1, /* the first: LogHeader  */
  CHUNK_FILES,      /* names of stored files; before the events that use them  */
  CHUNK_EVENTS,
  CHUNK_INDEX, /* the last: where the others are  */
  CHUNK_TYPES  /* number of types + 1  */
} ChunkType;

#define CHUNK_HEAD_SIZE 40u
/* Bounds for readers, and for writers to keep.  */
#define CHUNK_RAW_MAX (64u << 20)
#define CHUNK_COUNT_MAX (1u << 16)

typedef struct
{
  ChunkType type;
  guint64 first; /* number of the first event or file in it  */
  guint32 count; /* how many  */
  guint32 raw_size;
  guint32 stored_size; /* without the head  */
  guint64 checksum;
} ChunkHead;

/* Compress RAW: the whole chunk ready to be written.  */
GByteArray *chunk_pack (ChunkType type, guint64 first, guint32 count, const guint8 *raw, gsize raw_size);

/* Read the head at OFFSET of a file of SIZE bytes and check that it makes
   sense there, not that the contents are whole.  */
gboolean chunk_read_head (int fd, guint64 offset, guint64 size, ChunkHead *head_ret, GError **error);
/* Check the contents behind HEAD at OFFSET, and return them decompressed
   if RAW_RET is not NULL.  */
gboolean chunk_read (int fd, guint64 offset, const ChunkHead *head, GBytes **raw_ret, GError **error);

#endif
