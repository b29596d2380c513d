/* The log: a stream of events on disk, written as it happens and read at
   random.

   A recording is a directory (mode 0700):

     DIR/log      the stream: header, chunks, index   (doc/log-format.md)
     DIR/files/N  the files that were mapped, stored once each and hard
                  linked from the store $XDG_DATA_HOME/retro/files

   One Log serves both sides: the recorder appends, and the timeline reads
   any event of the same log at any time, those not yet written to disk
   included.  A closed recording opens read-only.  A recording that ends
   without index (the machine died) opens too: the reader rebuilds the
   index from the chunks and stops at the first that is not whole;
   log_is_truncated says so.  Nothing in a file is trusted.

   Events are compressed a chunk at a time (about 256 KB of raw bytes,
   zstd level 1); the writer keeps one chunk in memory, the reader caches
   a few decoded ones.  */

#ifndef RETRO_LOG_LOG_H
#define RETRO_LOG_LOG_H

#include "log/event.h"

typedef struct _Log Log;

typedef struct
{
  char **argv;   /* NULL-terminated  */
  char *program; /* absolute path of the first executable  */
  char *cwd;
  guint64 start_time; /* microseconds since the epoch  */
  guint32 seed;       /* of the scheduler  */
  gboolean check;     /* recorded with --check  */
  gboolean traps_cpuid; /* cpuid is an event  */
  char *cpu;          /* what the program can see of the CPU (name, xcr0), for a clear
                         message on another machine  */
} LogHeader;

/* Create DIR/log; DIR must exist and be empty.  HEADER is copied.  */
Log *log_create (const char *dir, const LogHeader *header, GError **error);
/* Open the recording DIR for reading.  */
Log *log_open (const char *dir, GError **error);
/* Close; a log being written gets its index and is synced to disk.
   NULL is ignored.  FALSE if the last bytes could not be written; the
   Log is freed all the same.  */
gboolean log_close (Log *log, GError **error);
/* The same without a report, for error paths.  */
void log_abandon (Log *log);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Log, log_abandon)

const LogHeader *log_header (const Log *log);
const char *log_dir (const Log *log);
gboolean log_is_truncated (const Log *log);
/* Number of events so far, all of them readable.  */
EventNo log_length (const Log *log);
/* Compressed bytes of chunks on disk so far.  */
guint64 log_bytes (const Log *log);

/* Append; takes EVENT.  On failure (disk full) the log up to the previous
   chunk stays valid on disk and every later append fails alike.  */
gboolean log_append (Log *log, Event *event, GError **error);
/* Write what is in memory to disk as a chunk.  */
gboolean log_flush (Log *log, GError **error);

/* Event N, owned by the log and valid until the next log_get (or close).
   Sequential access is fast: decoding a chunk costs its events once.  */
const Event *log_get (Log *log, EventNo n, GError **error);

/* The stored files.  Adding returns the number under which MapOps name
   it.  The file is identified by device, inode, size and times, so the
   same file is stored once.  FD is open on the file.  */
gboolean log_add_file (Log *log, int fd, const char *name, guint32 *number_ret, GError **error);
/* Path of the stored copy (DIR/files/N) and the name it had.  */
char *log_file_path (const Log *log, guint32 number);
const char *log_file_name (const Log *log, guint32 number);
guint32 log_n_files (const Log *log);

#endif
