/* The files that a recording needs: their numbers and names in the log,
   their contents in DIR/files (through store.c).

   Names reach the disk as a chunk ahead of the first events that can use
   them, so a log that was cut off still knows all it needs.  */

#include "base/cursor.h"
#include "base/error.h"
#include "base/paths.h"
#include "log/log-private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Bounds for what a log can make its reader remember.  */
#define NAME_MAX_ 0x10000u
#define NAMES_MAX (64u << 20)
#define NAME_COST 64u
#define UNUSED_SECONDS (7 * 24 * 3600)

static void
entry_free (gpointer data)
{
  FileEntry *entry = data;

  g_free (entry->name);
  g_free (entry);
}

void
log_files_init (Log *log)
{
  log->files = g_ptr_array_new_with_free_func (entry_free);
  log->files_by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

void
log_files_clear (Log *log)
{
  if (log->store_grew)
    store_prune (log->store, UNUSED_SECONDS);
  g_ptr_array_unref (log->files);
  g_hash_table_unref (log->files_by_key);
  g_free (log->store);
}

static void
add_entry (Log *log, char *name, guint64 size)
{
  FileEntry *entry = g_new0 (FileEntry, 1);

  entry->name = name;
  entry->size = size;
  g_ptr_array_add (log->files, entry);
}

/* The store's directory, made if need be; "" if there can be none.  */
static const char *
get_store (Log *log)
{
  if (log->store == NULL)
    {
      g_autofree char *data_dir = paths_data_dir ();

      log->store = g_build_filename (data_dir, "files", NULL);
      if (g_mkdir_with_parents (log->store, 0700) != 0)
        {
          g_free (log->store);
          log->store = g_strdup ("");
        }
    }
  return log->store;
}

gboolean
log_add_file (Log *log, int fd, const char *name, guint32 *number_ret, GError **error)
{
  g_autofree char *dir = NULL, *key = NULL, *path = NULL;
  guint32 number = log->files->len;
  gboolean settled, new;
  gpointer known;
  guint64 size;

  key = store_key (fd, &settled, &size, error);
  if (key == NULL)
    {
      g_prefix_error (error, "cannot store %s: ", name);
      return FALSE;
    }
  if (settled && g_hash_table_lookup_extended (log->files_by_key, key, NULL, &known))
    {
      *number_ret = GPOINTER_TO_UINT (known);
      return TRUE;
    }

  dir = g_build_filename (log->dir, "files", NULL);
  if (number == 0 && mkdir (dir, 0700) != 0 && errno != EEXIST)
    return error_set_errno (error, "cannot create %s", dir);
  path = log_file_path (log, number);
  if (!store_put (get_store (log), settled ? key : NULL, fd, path, &new, error))
    {
      g_prefix_error (error, "cannot store %s: ", name);
      return FALSE;
    }
  log->store_grew = log->store_grew || new;
  add_entry (log, g_strdup (name), size);
  if (settled)
    g_hash_table_insert (log->files_by_key, g_steal_pointer (&key), GUINT_TO_POINTER (number));
  *number_ret = number;
  return TRUE;
}

gboolean
log_write_files (Log *log, GError **error)
{
  g_autoptr (GByteArray) raw = NULL;
  guint32 first = log->files_on_disk, count = MIN (log->files->len - first, CHUNK_COUNT_MAX);

  if (count == 0)
    return TRUE;
  raw = g_byte_array_new ();
  for (guint32 i = 0; i < count; i++)
    {
      const FileEntry *entry = g_ptr_array_index (log->files, first + i);

      put_string (raw, entry->name);
      put_varint (raw, entry->size);
    }
  if (!log_write_chunk (log, CHUNK_FILES, first, count, raw, error))
    return FALSE;
  log->files_on_disk += count;
  return log_write_files (log, error);
}

gboolean
log_read_files (Log *log, const ChunkRef *ref, const ChunkHead *head, GError **error)
{
  g_autoptr (GBytes) raw = NULL;
  const guint8 *data;
  gsize size;
  Cursor in;

  if (head->type != CHUNK_FILES || head->first != ref->first || head->count != ref->count)
    return error_set (error, RETRO_ERROR_FORMAT, "the index is wrong");
  if (!chunk_read (log->fd, ref->offset, head, &raw, error))
    return FALSE;
  data = g_bytes_get_data (raw, &size);
  cursor_init (&in, data, size);
  for (guint32 i = 0; i < ref->count && !in.failed; i++)
    {
      g_autofree char *name = cursor_string (&in, NAME_MAX_);
      guint64 file_size = cursor_varint (&in);

      log->names_size += NAME_COST + (name != NULL ? strlen (name) : 0);
      if (log->names_size > NAMES_MAX)
        cursor_fail (&in);
      if (!in.failed)
        add_entry (log, g_steal_pointer (&name), file_size);
    }
  if (in.failed || cursor_left (&in) != 0)
    return error_set (error, RETRO_ERROR_FORMAT, "malformed file names at byte %" G_GUINT64_FORMAT,
                      ref->offset);
  return TRUE;
}

char *
log_file_path (const Log *log, guint32 number)
{
  return g_strdup_printf ("%s/files/%u", log->dir, number);
}

const char *
log_file_name (const Log *log, guint32 number)
{
  return number < log->files->len ? ((FileEntry *) g_ptr_array_index (log->files, number))->name : NULL;
}

guint32
log_n_files (const Log *log)
{
  return log->files->len;
}
