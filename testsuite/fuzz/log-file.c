/* A whole log, opened and read to its end.

   Checksums stop random changes at once, so most inputs are a recipe for a
   file whose checksums are right:

     byte 0     0: the rest is the file as it is
                1: the file is the usual start, then chunks made of records
     record     type, count, length (two bytes), flags, contents
                flags  1: `first' is wrong  2: cut the chunk short

   An index chunk gets a trailer that points to it.  */

#include "log/log-private.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EVENTS_MAX 3000

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

static char *dir, *path;
static int fd;

static void
remove_dir (void)
{
  g_unlink (path);
  g_rmdir (dir);
  g_free (path);
  g_free (dir);
}

/* DIR/log is a link to a file in memory, for speed.  */
static void
make_dir (void)
{
  g_autofree char *target = NULL;

  dir = g_dir_make_tmp ("retro-fuzz-XXXXXX", NULL);
  g_assert_nonnull (dir);
  path = g_build_filename (dir, "log", NULL);
  fd = memfd_create ("log", MFD_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  target = g_strdup_printf ("/proc/self/fd/%d", fd);
  g_assert_cmpint (symlink (target, path), ==, 0);
  atexit (remove_dir);
}

static void
add_record (GByteArray *file, Cursor *in, guint64 first[CHUNK_TYPES], guint64 *index)
{
  guint8 type = cursor_u8 (in) % CHUNK_TYPES, count = cursor_u8 (in);
  guint16 length = (guint16) (cursor_u8 (in) | cursor_u8 (in) << 8);
  guint8 flags = cursor_u8 (in);
  gsize here = MIN (length, cursor_left (in));
  const guint8 *raw = cursor_take (in, here);
  g_autoptr (GByteArray) chunk = chunk_pack (type, first[type] + (flags & 1), count, raw, here);

  first[type] += count;
  if (type == CHUNK_INDEX)
    *index = file->len;
  g_byte_array_append (file, chunk->data, flags & 2 ? chunk->len / 2 : chunk->len);
}

static void
build_file (GByteArray *file, Cursor *in)
{
  guint64 first[CHUNK_TYPES] = { 0 }, index = 0;

  g_byte_array_append (file, (const guint8 *) LOG_MAGIC, 8);
  put_u32 (file, LOG_VERSION);
  put_u32 (file, 0);
  while (cursor_left (in) > 0)
    add_record (file, in, first, &index);
  if (index != 0)
    {
      put_u64 (file, index);
      g_byte_array_append (file, (const guint8 *) LOG_MAGIC_END, 8);
    }
}

static void
read_log (Log *log)
{
  for (guint32 i = 0; i < log_n_files (log); i++)
    g_assert_nonnull (log_file_name (log, i));
  for (EventNo n = 0; n < log_length (log) && n < EVENTS_MAX; n++)
    {
      g_autoptr (GError) error = NULL;
      const Event *event = log_get (log, n, &error);

      g_assert_cmpint (event == NULL, ==, error != NULL);
      if (event == NULL)
        break;
    }
  log_get (log, log_length (log) / 2, NULL);
  g_assert_null (log_get (log, log_length (log), NULL));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (Log) log = NULL;
  Cursor in;

  if (dir == NULL)
    make_dir ();
  cursor_init (&in, data, size);
  if (cursor_u8 (&in) == 0)
    g_byte_array_append (file, in.at, (guint) cursor_left (&in));
  else
    build_file (file, &in);
  g_assert_cmpint (ftruncate (fd, 0), ==, 0);
  g_assert_cmpint (pwrite (fd, file->data, file->len, 0), ==, file->len);

  log = log_open (dir, &error);
  g_assert_cmpint (log == NULL, ==, error != NULL);
  if (log != NULL)
    read_log (log);
  return 0;
}
