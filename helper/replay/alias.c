/* Memory that the program has mapped at several addresses.

   Such views must show each other's changes without any event between, so
   here alone the task has shared mappings: of one memfd, sparse, in which
   the log gives each aliased object its place.

     program:   view A   view B        view C   view D
     log:       MAP_ALIAS_, offset x   MAP_ALIAS_, offset y
     memfd:     ------[ x ]---------------------[ y ]------

   A fork shares such memory with its original; so a copy of a task gets a
   memfd of its own, with the same contents, before either runs.  The
   task's descriptor stays open.  The kernel lets nobody write through a
   shared mapping that is read-only, not even /proc/PID/mem, so contents go
   through the descriptor.  */

#include "replay/private.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OBJECT_SIZE ((guint64) 1 << 62)
#define COPY_CHUNK (1u << 20)

/* A new memfd in the task.  */
static gboolean
make_object (Replay *replay, int *fd_ret, GError **error)
{
  static const char name[] = "aliases";
  const guint64 create_args[6] = { ARENA_SCRATCH, MFD_CLOEXEC };
  guint64 fd;

  if (!task_write (&replay->task, ARENA_SCRATCH, name, sizeof name, error)
      || !replay_inject (&replay->task, "memfd_create", SYS_memfd_create, create_args, &fd, error))
    return FALSE;

  const guint64 size_args[6] = { fd, OBJECT_SIZE };

  *fd_ret = (int) fd;
  return replay_inject (&replay->task, "ftruncate", SYS_ftruncate, size_args, NULL, error);
}

static gboolean
map_view (Replay *replay, Addr addr, guint64 length, guint32 prot, guint64 offset, GError **error)
{
  const guint64 args[6]
    = { addr, length, prot, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, (guint64) (replay->alias_fd - 1), offset };

  return replay_inject (&replay->task, "mmap", SYS_mmap, args, NULL, error);
}

/* Is any of the memory that OP names mapped?  */
static gboolean
is_in_use (const Replay *replay, const MapOp *op)
{
  for (guint i = 0; i < replay->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (replay->space->maps, Mapping, i);

      if ((m->flags & MAP_ALIAS_) && m->offset < op->offset + op->length
          && op->offset < m->offset + (m->end - m->start))
        return TRUE;
    }
  return FALSE;
}

gboolean
replay_map_alias (Replay *replay, const MapOp *op, GError **error)
{
  int fd;

  if (op->offset > OBJECT_SIZE || op->length > OBJECT_SIZE - op->offset)
    return error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " maps an impossible alias", replay->event);
  if (replay->alias_fd == 0)
    {
      if (!make_object (replay, &fd, error))
        return FALSE;
      replay->alias_fd = fd + 1;
    }
  else if (!is_in_use (replay, op))
    {
      /* What an earlier object left in this place.  */
      const guint64 args[6] = { (guint64) (replay->alias_fd - 1), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                op->offset, op->length };

      if (!replay_inject (&replay->task, "fallocate", SYS_fallocate, args, NULL, error))
        return FALSE;
    }
  return map_view (replay, op->addr, op->length, op->prot, op->offset, error);
}

/* Open the task's descriptor FD here.  */
static int
open_object (const Replay *replay, int fd, int flags)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", (int) replay->task.tid, fd);

  return open (path, flags | O_CLOEXEC);
}

gboolean
replay_write_alias (Replay *replay, const Mapping *m, Addr addr, gconstpointer data, gsize length, GError **error)
{
  int object = open_object (replay, replay->alias_fd - 1, O_RDWR);
  off_t at = (off_t) (m->offset + (addr - m->start));
  gboolean ok = object >= 0 && pwrite (object, data, length, at) == (ssize_t) length;

  if (!ok)
    error_set_errno (error, "cannot write memory at 0x%" G_GINT64_MODIFIER "x", addr);
  if (object >= 0)
    close (object);
  return ok;
}

/* The bytes of FROM that are not holes, into TO.  FALSE with errno.  */
static gboolean
copy_data (int from, int to)
{
  g_autofree guint8 *buffer = g_malloc (COPY_CHUNK);
  off_t at = 0;

  while ((at = lseek (from, at, SEEK_DATA)) >= 0)
    {
      off_t end = lseek (from, at, SEEK_HOLE);

      while (at < end)
        {
          ssize_t got = pread (from, buffer, (size_t) MIN (end - at, (off_t) COPY_CHUNK), at);

          if (got <= 0 || pwrite (to, buffer, (size_t) got, at) != got)
            return FALSE;
          at += got;
        }
    }
  return errno == ENXIO;
}

gboolean
replay_own_aliases (Replay *copy, GError **error)
{
  const guint64 close_args[6] = { (guint64) (copy->alias_fd - 1) };
  int fd;

  if (copy->alias_fd == 0)
    return TRUE;
  if (!make_object (copy, &fd, error))
    return FALSE;

  int from = open_object (copy, copy->alias_fd - 1, O_RDONLY), to = open_object (copy, fd, O_RDWR);
  gboolean ok = from >= 0 && to >= 0 && copy_data (from, to);

  if (!ok)
    error_set_errno (error, "cannot copy memory that is mapped twice");
  if (from >= 0)
    close (from);
  if (to >= 0)
    close (to);
  if (!ok || !replay_inject (&copy->task, "close", SYS_close, close_args, NULL, error))
    return FALSE;
  copy->alias_fd = fd + 1;
  for (guint i = 0; i < copy->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (copy->space->maps, Mapping, i);

      if ((m->flags & MAP_ALIAS_) && !map_view (copy, m->start, m->end - m->start, m->prot, m->offset, error))
        return FALSE;
    }
  return TRUE;
}
