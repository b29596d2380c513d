/* Map operations and writes of the log, performed in the replay's task.

   Every mapping is private here (but see alias.c): what shared memory of the program showed
   is in the log.  Stored files are opened by the task itself, by path, for
   an address space can only map descriptors of its own process; nothing
   stays open.

   mremap refuses ranges of more than one mapping on most kernels, and the
   replay's mappings are not always cut as the program's were: such a move
   is done as map, copy and unmap.  */

#include "replay/private.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COPY_CHUNK (1u << 20)

gboolean
replay_inject (Task *task, const char *what, long nr, const guint64 args[6], guint64 *result_ret, GError **error)
{
  gint64 result;

  if (!task_inject (task, nr, args, &result, NULL, error))
    return FALSE;
  if (result < 0 && result >= -4095)
    {
      errno = (int) -result;
      return error_set_errno (error, "the replay cannot %s (0x%" G_GINT64_MODIFIER "x, 0x%" G_GINT64_MODIFIER "x)", what,
                              args[0], args[1]);
    }
  if (result_ret != NULL)
    *result_ret = (guint64) result;
  return TRUE;
}

gboolean
replay_inject_open (Task *task, const char *path, int *fd_ret, GError **error)
{
  const guint64 args[6] = { (guint64) AT_FDCWD, ARENA_SCRATCH, O_RDONLY | O_CLOEXEC };
  gsize length = strlen (path) + 1;
  gint64 result;

  if (length > ARENA_SCRATCH_SIZE)
    return error_set (error, RETRO_ERROR_FAILED, "path too long: %s", path);
  if (!task_write (task, ARENA_SCRATCH, path, length, error)
      || !task_inject (task, SYS_openat, args, &result, NULL, error))
    return FALSE;
  if (result < 0)
    {
      errno = (int) -result;
      return error_set_errno (error, "the replay cannot open %s", path);
    }
  *fd_ret = (int) result;
  return TRUE;
}

static gboolean
map_at (Replay *replay, Addr addr, guint64 length, guint32 prot, int flags, int fd, guint64 offset, GError **error)
{
  const guint64 args[6] = { addr, length, prot, (guint64) (flags | MAP_PRIVATE | MAP_FIXED), (guint64) (gint64) fd,
                            offset };

  return replay_inject (&replay->task, "mmap", SYS_mmap, args, NULL, error);
}

static gboolean
map_file (Replay *replay, const MapOp *op, GError **error)
{
  g_autofree char *relative = NULL;
  int fd = -1;

  if (op->file >= log_n_files (replay->log))
    return error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " maps file %u, which is not there",
                      replay->event, op->file);
  relative = log_file_path (replay->log, op->file);

  /* The task's working directory need not be the helper's.  */
  g_autofree char *path = g_canonicalize_filename (relative, NULL);

  if (!replay_inject_open (&replay->task, path, &fd, error))
    return FALSE;

  const guint64 close_args[6] = { (guint64) fd };

  return map_at (replay, op->addr, op->length, op->prot, MAP_NORESERVE, fd, op->offset, error)
         && replay_inject (&replay->task, "close", SYS_close, close_args, NULL, error);
}

static gboolean
op_map (Replay *replay, const MapOp *op, GError **error)
{
  gboolean grows = (op->flags & (MAP_GROWSDOWN_ | MAP_STACK_)) == MAP_GROWSDOWN_;

  if (op->flags & MAP_ALIAS_)
    return replay_map_alias (replay, op, error);
  if (op->file != NO_FILE)
    return map_file (replay, op, error);
  return map_at (replay, op->addr, op->length, op->prot, MAP_ANONYMOUS | MAP_NORESERVE | (grows ? MAP_GROWSDOWN : 0),
                 -1, 0, error);
}

static gboolean
op_unmap (Replay *replay, const MapOp *op, GError **error)
{
  const guint64 args[6] = { op->addr, op->length };

  return replay_inject (&replay->task, "munmap", SYS_munmap, args, NULL, error);
}

static gboolean
op_protect (Replay *replay, const MapOp *op, GError **error)
{
  const guint64 args[6] = { op->addr, op->length, op->prot };

  return replay_inject (&replay->task, "mprotect", SYS_mprotect, args, NULL, error);
}

static gboolean
op_discard (Replay *replay, const MapOp *op, GError **error)
{
  const guint64 args[6] = { op->addr, op->length, MADV_DONTNEED };

  return replay_inject (&replay->task, "madvise", SYS_madvise, args, NULL, error);
}

/* Copy memory within the task, through here; unreadable pages stay zero.  */
static gboolean
copy_memory (Replay *replay, Addr from, Addr to, guint64 length, GError **error)
{
  g_autofree guint8 *buffer = g_malloc (COPY_CHUNK);

  for (guint64 done = 0; done < length;)
    {
      gsize got = task_read_some (&replay->task, from + done, buffer, MIN (COPY_CHUNK, length - done));

      if (!task_write (&replay->task, to + done, buffer, got, error))
        return FALSE;
      done += got != 0 ? got : PAGE_SIZE_;
    }
  return TRUE;
}

/* The pieces of [ADDR, +LENGTH) that are mapped, at their new place.  */
static gboolean
move_by_copy (Replay *replay, const MapOp *op, GError **error)
{
  guint64 length = MIN (op->length, op->dest_length);

  if (op->dest < op->addr + op->length && op->addr < op->dest + op->dest_length)
    return error_set (error, RETRO_ERROR_UNSUPPORTED, "the replay cannot move overlapping memory at 0x%" G_GINT64_MODIFIER "x",
                      op->addr);
  for (Addr at = op->addr; at < op->addr + length;)
    {
      const Mapping *m = space_find (replay->space, at);

      if (m == NULL)
        {
          at += PAGE_SIZE_;
          continue;
        }

      MapOp map = { .kind = MAP_OP_MAP,
                    .addr = at - op->addr + op->dest,
                    .length = MIN (m->end, op->addr + length) - at,
                    .prot = m->prot,
                    .flags = m->flags,
                    .file = m->file,
                    .offset = m->offset + (at - m->start) };

      if (at + map.length == op->addr + op->length && op->dest_length > op->length)
        map.length += op->dest_length - op->length;
      if (!op_map (replay, &map, error)
          || !copy_memory (replay, at, map.addr, MIN (m->end, op->addr + length) - at, error))
        return FALSE;
      at = MIN (m->end, op->addr + length);
    }

  const MapOp unmap = { .kind = MAP_OP_UNMAP, .addr = op->addr, .length = op->length };

  return op_unmap (replay, &unmap, error);
}

static gboolean
op_move (Replay *replay, const MapOp *op, GError **error)
{
  gboolean in_place = op->dest == op->addr;
  const guint64 args[6] = { op->addr, op->length, op->dest_length,
                            in_place ? 0 : MREMAP_MAYMOVE | MREMAP_FIXED, in_place ? 0 : op->dest };
  gint64 result;

  if (!task_inject (&replay->task, SYS_mremap, args, &result, NULL, error))
    return FALSE;
  if (result == -EFAULT && !in_place)
    return move_by_copy (replay, op, error);
  if ((guint64) result != op->dest)
    {
      errno = (int) -result;
      return error_set_errno (error, "the replay cannot mremap 0x%" G_GINT64_MODIFIER "x", op->addr);
    }
  return TRUE;
}

/* Can OP change what is executed in a way that the list of executable
   mappings does not show afterwards?  */
static gboolean
touches_code (const Space *space, const MapOp *op)
{
  if (op->kind == MAP_OP_UNMAP || (op->kind == MAP_OP_MAP && op->file != NO_FILE && !(op->prot & PROT_WRITE)))
    return FALSE;
  if (op->kind <= MAP_OP_PROTECT && (op->prot & PROT_EXEC))
    return TRUE;
  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);

      if ((m->prot & PROT_EXEC) && m->start < op->addr + op->length && op->addr < m->end)
        return TRUE;
    }
  return FALSE;
}

/* Nothing of a log may touch the arena or the kernel's half.  */
static gboolean
check_range (const Replay *replay, Addr addr, guint64 length, GError **error)
{
  if (addr % PAGE_SIZE_ == 0 && length % PAGE_SIZE_ == 0 && addr <= USER_END && length <= USER_END - addr
      && (addr >= ARENA_BASE + ARENA_SIZE || addr + length <= ARENA_BASE))
    return TRUE;
  return error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " maps 0x%" G_GINT64_MODIFIER "x, +0x%" G_GINT64_MODIFIER "x",
                    replay->event, addr, length);
}

gboolean
replay_apply_op (Replay *replay, const MapOp *op, GError **error)
{
  static gboolean (*const perform[]) (Replay *, const MapOp *, GError **)
    = { [MAP_OP_MAP] = op_map, [MAP_OP_UNMAP] = op_unmap, [MAP_OP_PROTECT] = op_protect,
        [MAP_OP_MOVE] = op_move, [MAP_OP_DISCARD] = op_discard };

  if ((unsigned) op->kind >= G_N_ELEMENTS (perform) || perform[op->kind] == NULL)
    return error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " has a map operation of kind %d",
                      replay->event, (int) op->kind);
  if (!check_range (replay, op->addr, op->length, error)
      || (op->kind == MAP_OP_MOVE && !check_range (replay, op->dest, op->dest_length, error)))
    return FALSE;
  if (touches_code (replay->space, op))
    replay->code_event = replay->event + 1;
  replay->entered = FALSE; /* injected calls leave such a stop  */
  return perform[op->kind](replay, op, error) && space_apply (replay->space, op, error);
}

gboolean
replay_write (Replay *replay, Addr addr, gconstpointer data, gsize length, GError **error)
{
  const Mapping *m = space_find (replay->space, addr);

  if (length == 0)
    return TRUE;
  if (addr < ARENA_BASE + ARENA_SIZE && addr + length > ARENA_BASE)
    return error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " writes to 0x%" G_GINT64_MODIFIER "x",
                      replay->event, addr);
  if (m != NULL && (m->prot & PROT_EXEC))
    replay->code_event = replay->event + 1;
  if (m != NULL && (m->flags & MAP_ALIAS_))
    {
      gsize part = MIN (length, m->end - addr);

      return replay_write_alias (replay, m, addr, data, part, error)
             && replay_write (replay, addr + part, (const guint8 *) data + part, length - part, error);
    }
  return task_write (&replay->task, addr, data, length, error);
}

/* --- By hand --- */

/* The code may now be as it is nowhere in history.  */
static void
leave_history (Replay *replay)
{
  static guint64 changes;

  replay->code_event = G_MAXUINT64 / 2 + ++changes;
}

gboolean
replay_poke (Replay *replay, Addr addr, gconstpointer data, gsize length, GError **error)
{
  const Mapping *m = space_find (replay->space, addr);

  if (!replay_write (replay, addr, data, length, error))
    return FALSE;
  if (m != NULL && (m->prot & PROT_EXEC))
    leave_history (replay);
  return TRUE;
}

gboolean
replay_poke_map (Replay *replay, const MapOp *op, GError **error)
{
  if (!replay_apply_op (replay, op, error))
    return FALSE;
  leave_history (replay);
  return TRUE;
}
