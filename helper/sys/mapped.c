/* See mapped.h.

   /proc/PID/maps and stat may name the same device differently (btrfs), so
   a file that can be written is looked up in maps once, when it is mapped,
   and both names are kept.  */

#include "sys/mapped.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* More contents than this are not copied into the log: the file is stored
   instead, and its later changes are lost.  */
#define MAX_CONTENTS ((guint64) 256 * 1024 * 1024)

/* A file that is or was mapped.  */
typedef struct
{
  guint64 dev, ino; /* as stat has them: the key  */
  guint64 maps_dev; /* as /proc/PID/maps has it  */
  guint64 size;     /* what the log's mappings assume  */
} File;

static guint
hash_file (gconstpointer p)
{
  const File *f = p;
  return (guint) (f->ino * 31 + f->dev);
}

static gboolean
equal_files (gconstpointer a, gconstpointer b)
{
  const File *f = a, *g = b;
  return f->dev == g->dev && f->ino == g->ino;
}

static guint64
maps_device (dev_t dev)
{
  return (guint64) major (dev) << 32 | minor (dev);
}

static File *
find_file (const SysState *state, const struct stat *st)
{
  File key = { .dev = st->st_dev, .ino = st->st_ino };
  return state->files != NULL ? g_hash_table_lookup (state->files, &key) : NULL;
}

/* stat of the program's descriptor, without opening anything.  */
static gboolean
stat_fd (const SysCall *call, int fd, struct stat *st_ret)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", call->task->tid, fd);
  return stat (path, st_ret) == 0;
}

/* The number of a stored file without any bytes.  */
static gboolean
get_empty_file (SysCall *call, guint32 *number_ret, GError **error)
{
  SysState *state = call->state;

  if (!state->has_empty)
    {
      int fd = memfd_create ("empty", MFD_CLOEXEC);
      if (fd < 0)
        return error_set_errno (error, "memfd_create");
      gboolean ok = log_add_file (call->log, fd, "(beyond the end of a file)", &state->empty, error);
      close (fd);
      if (!ok)
        return FALSE;
      state->has_empty = TRUE;
    }
  *number_ret = state->empty;
  return TRUE;
}

/* New pages [ADDR, +LENGTH) of E, one of MAPS: of them VALID bytes can be
   touched, the rest lies beyond the end of the file.  */
static gboolean
add_ops (SysCall *call, Event *event, const GArray *maps, const MapsEntry *e, Addr addr, guint64 length, guint64 valid,
         GError **error)
{
  MapOp op = { .kind = MAP_OP_MAP, .addr = addr, .prot = e->prot, .flags = MAP_SHARED_, .file = NO_FILE };

  op.length = MIN (valid, length);
  if (op.length > 0)
    {
      if (maps_is_alias (maps, e, &op.offset))
        {
          op.flags |= MAP_ALIAS_;
          op.offset += addr - e->start;
        }
      event_add_op (event, &op);
    }
  if (valid < length)
    {
      op.addr = addr + valid;
      op.length = length - valid;
      op.flags = MAP_SHARED_;
      op.offset = 0;
      if (!get_empty_file (call, &op.file, error))
        return FALSE;
      event_add_op (event, &op);
    }
  return TRUE;
}

/* How much of LENGTH bytes from OFFSET of a file of SIZE can be touched.  */
static guint64
get_valid (guint64 offset, guint64 length, guint64 size)
{
  return size <= offset ? 0 : MIN (PAGE_UP (size - offset), length);
}

/* The bytes of data (not holes) in [FROM, TO) of FD.  Reading a hole
   through the mapping instead would allocate it on tmpfs.  */
static guint64
count_data (int fd, guint64 from, guint64 to)
{
  guint64 total = 0;

  while (from < to)
    {
      off_t data = lseek (fd, (off_t) from, SEEK_DATA);
      if (data < 0)
        return errno == ENXIO ? total : total + (to - from);
      off_t hole = lseek (fd, data, SEEK_HOLE);
      guint64 end = hole < 0 ? to : MIN ((guint64) hole, to);
      if ((guint64) data >= end)
        break;
      total += end - (guint64) data;
      from = end;
    }
  return total;
}

/* Contents of the mapping at ADDR of [FROM, TO) of FD.  They are read
   through the mapping: a digest of the live program looks only at pages
   that are present.  */
static gboolean
add_contents (SysCall *call, Event *event, int fd, Addr addr, guint64 from, guint64 to)
{
  for (guint64 at = from; at < to;)
    {
      off_t data = lseek (fd, (off_t) at, SEEK_DATA);
      if (data < 0 && errno == ENXIO)
        return TRUE;
      guint64 start = data < 0 ? at : MAX (at, PAGE_DOWN ((guint64) data));
      off_t hole = lseek (fd, (off_t) MAX (start, (guint64) MAX (data, 0)), SEEK_HOLE);
      guint64 end = data < 0 || hole < 0 ? to : MIN (PAGE_UP ((guint64) hole), to);
      if (end <= start)
        return TRUE;
      sys_add_nonzero (call, event, addr + (start - from), end - start);
      at = end;
    }
  return TRUE;
}

static gboolean update_file (SysCall *call, Event *event, File *file, guint64 size, guint64 from, guint64 to,
                             GError **error);

static gboolean
remember_file (SysCall *call, Event *event, const struct stat *st, guint64 maps_dev, GError **error)
{
  SysState *state = call->state;
  File *file = find_file (state, st);

  if (file != NULL)
    return file->size == (guint64) st->st_size
           || update_file (call, event, file, (guint64) st->st_size, 0, 0, error);
  if (state->files == NULL)
    state->files = g_hash_table_new_full (hash_file, equal_files, g_free, NULL);
  file = g_new (File, 1);
  *file = (File){ .dev = st->st_dev, .ino = st->st_ino, .maps_dev = maps_dev, .size = (guint64) st->st_size };
  g_hash_table_add (state->files, file);
  /* cppcheck-suppress memleak; the table has it  */
  return TRUE;
}

static gboolean
add_as_memory (SysCall *call, Event *event, const GArray *maps, int own_fd, const struct stat *st, const MapOp *op,
               GError **error)
{
  guint64 size = (guint64) st->st_size;
  guint64 valid = get_valid (op->offset, op->length, size);
  const MapsEntry *e = maps_find (maps, op->addr);

  if (e == NULL)
    return sys_refuse (call, "the mapping cannot be found", error);
  return add_ops (call, event, maps, e, op->addr, op->length, valid, error)
         && add_contents (call, event, own_fd, op->addr, op->offset, MIN (size, op->offset + op->length));
}

static gboolean
add_mapping (SysCall *call, Event *event, int fd, int own_fd, const MapOp *op, GError **error)
{
  struct stat st, link;
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", call->task->tid, fd);
  g_autofree char *name = g_file_read_link (path, NULL);

  if (fstat (own_fd, &st) != 0)
    return error_set_errno (error, "stat %s", path);
  /* The link's own permissions tell how the descriptor was opened.  */
  gboolean writable = lstat (path, &link) != 0 || (link.st_mode & S_IWUSR);
  gboolean as_memory = writable
                       && count_data (own_fd, op->offset, MIN ((guint64) st.st_size, op->offset + op->length))
                            <= MAX_CONTENTS;
  guint64 maps_dev = maps_device (st.st_dev);
  g_autoptr (GArray) maps = NULL;
  if (writable)
    {
      maps = maps_read (call->task->tid, error);
      if (maps == NULL)
        return FALSE;
      const MapsEntry *entry = maps_find (maps, op->addr);
      if (entry != NULL)
        maps_dev = entry->dev;
      call->state->watching = TRUE;
    }
  if (!remember_file (call, event, &st, maps_dev, error))
    return FALSE;
  if (as_memory)
    return add_as_memory (call, event, maps, own_fd, &st, op, error);

  MapOp stored = *op;
  if (!log_add_file (call->log, own_fd, name != NULL ? name : path, &stored.file, error))
    return FALSE;
  event_add_op (event, &stored);
  return TRUE;
}

gboolean
mapped_add (SysCall *call, Event *event, int fd, const MapOp *op, GError **error)
{
  int own_fd = sys_open_fd (call, fd);

  if (own_fd < 0)
    return sys_refuse (call, "the mapped file cannot be opened", error);
  gboolean ok = add_mapping (call, event, fd, own_fd, op, error);
  close (own_fd);
  return ok && (!(op->flags & MAP_SHARED_) || mapped_join (call, event, op->addr, op->length, error));
}

/* The file with the names of ENTRY, or NULL.  */
static const File *
find_by_entry (const SysState *state, const MapsEntry *entry)
{
  GHashTableIter iter;
  gpointer key;

  if (state->files == NULL || entry->inode == 0)
    return NULL;
  g_hash_table_iter_init (&iter, state->files);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      const File *file = key;
      if (file->ino == entry->inode && file->maps_dev == entry->dev)
        return file;
    }
  return NULL;
}

gboolean
mapped_renew (SysCall *call, Event *event, Addr addr, guint64 length, GError **error)
{
  g_autoptr (GArray) maps = maps_read (call->task->tid, error);

  if (maps == NULL)
    return FALSE;
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
      Addr start = MAX (e->start, addr), end = MIN (e->end, addr + length);
      if (start >= end)
        continue;
      const File *file = find_by_entry (call->state, e);
      guint64 valid = end - start;
      if (file != NULL)
        valid = get_valid (e->offset + (start - e->start), end - start, file->size);
      if (!add_ops (call, event, maps, e, start, end - start, valid, error))
        return FALSE;
      sys_add_nonzero (call, event, start, valid);
    }
  return TRUE;
}

/* The valid part of F, in pieces as the space has them, as aliases; with
   contents.  */
static gboolean
add_view (SysCall *call, Event *event, const GArray *maps, const MapsEntry *f, Addr addr, guint64 length, GError **error)
{
  const File *file = find_by_entry (call->state, f);
  guint64 size = f->end - f->start;
  Addr end = f->start + (file != NULL ? get_valid (f->offset, size, file->size) : size);

  for (Addr at = f->start; at < end;)
    {
      const Mapping *m = space_find (call->space, at);
      Addr stop = m != NULL ? MIN (m->end, end) : end;
      gboolean is_new = at < addr + length && addr < stop;
      if (m == NULL || !(m->flags & MAP_ALIAS_) || is_new)
        {
          if (!add_ops (call, event, maps, f, at, stop - at, stop - at, error))
            return FALSE;
          sys_add_nonzero (call, event, at, stop - at);
        }
      at = stop;
    }
  return TRUE;
}

gboolean
mapped_join (SysCall *call, Event *event, Addr addr, guint64 length, GError **error)
{
  g_autoptr (GArray) maps = maps_read (call->task->tid, error);
  guint64 offset;

  if (maps == NULL)
    return FALSE;
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
      if (e->end <= addr || e->start >= addr + length || !maps_is_alias (maps, e, &offset))
        continue;
      for (guint k = 0; k < maps->len; k++)
        {
          const MapsEntry *f = &g_array_index (maps, MapsEntry, k);
          if (f->shared && f->dev == e->dev && f->inode == e->inode && maps_is_alias (maps, f, &offset)
              && !add_view (call, event, maps, f, addr, length, error))
            return FALSE;
        }
    }
  return TRUE;
}

/* Pages [START, END) that may be mapped from a stored file become memory
   whose contents come from elsewhere.  */
static void
convert_pages (SysCall *call, Event *event, Addr start, Addr end, guint32 prot)
{
  while (start < end)
    {
      const Mapping *m = space_find (call->space, start);
      Addr stop = m != NULL ? MIN (m->end, end) : end;
      if (m == NULL || m->file != NO_FILE || !(m->flags & MAP_SHARED_))
        {
          MapOp op = { .kind = MAP_OP_MAP,
                       .addr = start,
                       .length = stop - start,
                       .prot = prot,
                       .flags = MAP_SHARED_,
                       .file = NO_FILE };
          event_add_op (event, &op);
          sys_add_nonzero (call, event, start, stop - start);
        }
      start = stop;
    }
}

/* FILE has SIZE now and bytes [FROM, TO) of it are new: tell it of the
   part mapped by E.  */
static gboolean
update_mapping (SysCall *call, Event *event, const File *file, const GArray *maps, const MapsEntry *e, guint64 size,
                guint64 from, guint64 to, GError **error)
{
  guint64 length = e->end - e->start;
  guint64 was = get_valid (e->offset, length, file->size);
  guint64 is = get_valid (e->offset, length, size);

  if (is > was && !add_ops (call, event, maps, e, e->start + was, is - was, is - was, error))
    return FALSE;
  if (is < was && !add_ops (call, event, maps, e, e->start + is, was - is, 0, error))
    return FALSE;
  /* As offsets into the mapping.  */
  from = from > e->offset ? from - e->offset : 0;
  to = to > e->offset ? MIN (to - e->offset, is) : 0;
  if (from >= to)
    return TRUE;
  Addr known = e->start + MIN (PAGE_UP (to), MIN (is, was));
  if (e->start + PAGE_DOWN (from) < known)
    convert_pages (call, event, e->start + PAGE_DOWN (from), known, e->prot);
  sys_add_some (call, event, e->start + from, to - from);
  return TRUE;
}

static gboolean
update_file (SysCall *call, Event *event, File *file, guint64 size, guint64 from, guint64 to, GError **error)
{
  g_autoptr (GArray) maps = maps_read (call->task->tid, error);

  if (maps == NULL)
    return FALSE;
  to = MIN (to, size);
  if (size < file->size)
    {
      /* The rest of the last page is zero now.  */
      from = from < to ? MIN (from, size) : size;
      to = PAGE_UP (size);
    }
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
      if (e->inode == file->ino && e->dev == file->maps_dev
          && !update_mapping (call, event, file, maps, e, size, from, to, error))
        return FALSE;
    }
  file->size = size;
  return TRUE;
}

gboolean
mapped_written (SysCall *call, Event *event, int fd, guint64 from, guint64 to, GError **error)
{
  struct stat st;
  File *file;

  if (!stat_fd (call, fd, &st) || (file = find_file (call->state, &st)) == NULL)
    return TRUE;
  return update_file (call, event, file, (guint64) st.st_size, from, to, error);
}

gboolean
mapped_resized_path (SysCall *call, Event *event, Addr path_addr, GError **error)
{
  g_autofree char *name = task_read_string (call->task, path_addr, 4096);
  struct stat st;
  File *file;

  if (name == NULL)
    return TRUE;
  g_autofree char *path
    = g_strdup_printf ("/proc/%d/%s/%s", call->task->tid, name[0] == '/' ? "root" : "cwd", name);
  if (stat (path, &st) != 0 || (file = find_file (call->state, &st)) == NULL)
    return TRUE;
  return update_file (call, event, file, (guint64) st.st_size, 0, 0, error);
}

void
mapped_opened (SysCall *call, int fd)
{
  struct stat st;

  if (call->state->files != NULL && stat_fd (call, fd, &st) && find_file (call->state, &st) != NULL)
    call->state->watching = TRUE;
}
