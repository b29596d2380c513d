/* Inside of a Log, for the files of this folder: log.c (life and header),
   writer.c, reader.c, index.c, files.c, store.c.

     events  0 ........ 8191 | 8192 ...... 12287 | 12288 ... 12500
             chunks on disk, found through `refs'  `pending', encoded in
             decoded ones are in `cache'           `raw' as they come  */

#ifndef RETRO_LOG_LOG_PRIVATE_H
#define RETRO_LOG_LOG_PRIVATE_H

#include "log/chunk.h"
#include "log/codec.h"
#include "log/log.h"

/* Bump when a reader of the version before would misread the file; a new
   chunk type counts.  Readers refuse other versions.  */
#define LOG_VERSION 2
#define LOG_MAGIC "RETROLOG"
#define LOG_MAGIC_END "RETROEND"
#define LOG_START 16   /* magic, version, zero  */
#define LOG_TRAILER 16 /* offset of the index chunk, magic  */

/* The writer ends a chunk at whichever comes first.  */
#define FLUSH_BYTES (256u << 10)
#define FLUSH_EVENTS 4096u
#define FLUSH_TIME G_USEC_PER_SEC

/* An event's written memory beyond this goes to events behind it.  */
#define EVENT_BYTES_MAX (16u << 20)

#define CACHE_CHUNKS 8
#define CACHE_WEIGHT (64u << 20)

/* A chunk on disk.  */
typedef struct
{
  ChunkType type;
  guint64 offset;
  guint32 size; /* with its head  */
  guint32 count;
  guint64 first;
} ChunkRef;

/* The events of one chunk.  */
typedef struct
{
  guint ref; /* index into refs  */
  EventNo first;
  GPtrArray *events;
  gsize weight;
  guint64 used; /* for the least recently used one  */
} Decoded;

typedef struct
{
  char *name;
  guint64 size;
} FileEntry;

struct _Log
{
  char *dir, *path; /* DIR, DIR/log  */
  int fd;
  gboolean writing, truncated;
  LogHeader header;
  guint64 end;        /* valid bytes in the file  */
  GArray *refs;       /* of ChunkRef: FILES and EVENTS chunks in their order  */
  GArray *event_refs; /* of guint: indices in refs of the EVENTS chunks  */
  EventNo on_disk;    /* events in chunks  */

  Codec *codec;
  GByteArray *raw;
  GPtrArray *pending;
  guint64 flushed; /* time of the last event that made a flush  */
  GError *failure; /* set: nothing can be written any more  */

  Decoded *cache[CACHE_CHUNKS];
  Decoded *last; /* of the last log_get  */
  guint64 clock;

  GPtrArray *files; /* of FileEntry  */
  guint32 files_on_disk;
  gsize names_size; /* bytes of their names, bounded  */
  GHashTable *files_by_key;
  char *store;         /* the store's directory; "" if there is none  */
  gboolean store_grew; /* by this log  */
};

/* log.c  */
gboolean log_write (Log *log, const guint8 *data, gsize length, GError **error);
gboolean log_write_chunk (Log *log, ChunkType type, guint64 first, guint32 count, const GByteArray *raw,
                          GError **error);

/* index.c: fill refs, files and the numbers from the file.  */
gboolean log_write_index (Log *log, GError **error);
gboolean log_read_index (Log *log, guint64 size, GError **error);
/* The same without the index, as far as the file is whole.  */
void log_scan (Log *log, guint64 size);

/* reader.c  */
void log_cache_add (Log *log, Decoded *decoded);
void log_cache_clear (Log *log);

/* files.c  */
void log_files_init (Log *log);
void log_files_clear (Log *log);
gboolean log_write_files (Log *log, GError **error);
gboolean log_read_files (Log *log, const ChunkRef *ref, const ChunkHead *head, GError **error);

/* store.c  */

/* What identifies the contents of the file FD: equal keys, equal contents,
   if *SETTLED_RET.  NULL if it is no regular file.  */
char *store_key (int fd, gboolean *settled_ret, guint64 *size_ret, GError **error);
/* Put the contents of FD at PATH, which must not exist: by a link to KEY's
   entry of the directory STORE, or as a copy if KEY is NULL or STORE "".
   *NEW_RET: the entry was made.  */
gboolean store_put (const char *store, const char *key, int fd, const char *path, gboolean *new_ret,
                    GError **error);
/* Delete entries that no recording has linked to for SECONDS.  */
void store_prune (const char *store, gint64 seconds);

#endif
