/* Copies of a replay, and replays made of a moment of the live program.

   A copy is a fork of the task.  It is made with CLONE_PARENT, so that it
   is the helper's child like its original, and without an exit signal, so
   that nobody's SIGCHLD handler hears of it.

   A task from the recorder has the program's memory but none of the
   replay's: it gets the arena, its shared mappings become private (with
   the contents they have now), and limits that the program set for itself
   are lifted.  */

#include "replay/private.h"

#include "base/error.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define COPY_CHUNK (1u << 20)

static gpointer
copy_thread (gconstpointer source, gpointer user)
{
  ReplayThread *thread = g_memdup2 (source, sizeof *thread);

  (void) user;
  if (thread->xstate != NULL)
    g_bytes_ref (thread->xstate);
  return thread;
}

/* g_ptr_array_copy keeps the function that frees.  */
static GPtrArray *
copy_threads (GPtrArray *threads)
{
  return g_ptr_array_copy (threads, (GCopyFunc) copy_thread, NULL);
}

Replay *
replay_copy (Replay *replay, GError **error)
{
  const guint64 args[6] = { CLONE_PARENT };
  gint64 result;
  pid_t child = 0;

  if (!task_inject (&replay->task, SYS_clone, args, &result, &child, error))
    return NULL;
  replay->entered = FALSE;
  if (result < 0 || child == 0)
    {
      error_set (error, RETRO_ERROR_LIMIT, "no memory or no process for a snapshot: %s", g_strerror ((int) -result));
      return NULL;
    }

  g_autoptr (Replay) copy = g_memdup2 (replay, sizeof *replay);

  copy->task = (Task) TASK_INIT;
  copy->task.tid = child;
  copy->space = space_copy (replay->space);
  copy->threads = copy_threads (replay->threads);
  copy->root = replay_root_ref (replay->root);
  if (!task_reopen (&copy->task, error))
    return NULL;
  copy->task.syscall_insn = ARENA_STUB;

  /* The copy stopped inside the injected call.  */
  Regs regs;

  if (!task_get_regs (&replay->task, &regs, error))
    return NULL;
  regs.orig_rax = ~0ull;
  if (!task_set_regs (&copy->task, &regs, error) || !replay_own_aliases (copy, error))
    return NULL;
  return g_steal_pointer (&copy);
}

/* --- A task from the recorder --- */

static void
lift_limits (pid_t pid)
{
  struct rlimit limit;

  for (int i = 0; i < RLIM_NLIMITS; i++)
    if (i != RLIMIT_CORE && getrlimit (i, &limit) == 0)
      prlimit (pid, i, &limit, NULL);
  limit = (struct rlimit){ 0, 0 };
  prlimit (pid, RLIMIT_CORE, &limit, NULL);
}

/* Write the pages of CONTENTS that the new mapping has not got anyway.  */
static gboolean
write_differences (Replay *replay, Addr addr, const guint8 *contents, gsize length, GError **error)
{
  guint8 page[PAGE_SIZE_];

  for (gsize at = 0; at < length; at += PAGE_SIZE_)
    {
      gsize got = task_read_some (&replay->task, addr + at, page, PAGE_SIZE_);

      if (got == PAGE_SIZE_ && memcmp (page, contents + at, PAGE_SIZE_) == 0)
        continue;
      if (got == PAGE_SIZE_ && !task_write (&replay->task, addr + at, contents + at, PAGE_SIZE_, error))
        return FALSE;
    }
  return TRUE;
}

/* Map [ADDR, +LENGTH) of M anew, private, with the contents it has.  */
static gboolean
make_private (Replay *replay, const Mapping *m, Addr addr, gsize length, GError **error)
{
  g_autofree guint8 *contents = g_malloc0 (length);
  const MapOp op = { .kind = MAP_OP_MAP, .addr = addr, .length = length, .prot = m->prot, .flags = m->flags,
                     .file = m->file, .offset = m->offset + (addr - m->start) };

  for (gsize at = 0; at < length; at += PAGE_SIZE_)
    task_read_some (&replay->task, addr + at, contents + at, PAGE_SIZE_);
  return replay_apply_op (replay, &op, error) && write_differences (replay, addr, contents, length, error);
}

static gboolean
make_all_private (Replay *replay, GError **error)
{
  g_autoptr (Space) before = space_copy (replay->space);

  for (guint i = 0; i < before->maps->len; i++)
    {
      const Mapping *m = &g_array_index (before->maps, Mapping, i);

      if (!(m->flags & MAP_SHARED_))
        continue;
      for (Addr at = m->start; at < m->end; at += COPY_CHUNK)
        if (!make_private (replay, m, at, MIN (COPY_CHUNK, m->end - at), error))
          return FALSE;
    }
  return TRUE;
}

/* Is there executable memory that a program may have written?  */
static gboolean
has_changing_code (const Space *space)
{
  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);

      if ((m->prot & PROT_EXEC) && !(m->flags & MAP_SPECIAL_) && (m->file == NO_FILE || (m->prot & PROT_WRITE)))
        return TRUE;
    }
  return FALSE;
}

Replay *
replay_adopt (Log *log, Task *task, const Space *space, GArray *threads, ThreadNo first, EventNo next, Replay *root,
              GError **error)
{
  g_autoptr (Replay) replay = g_new0 (Replay, 1);

  replay->log = log;
  replay->task = *task;
  *task = (Task) TASK_INIT;
  replay->space = space_copy (space);
  replay->event = next;
  replay->root = root != NULL ? replay_root_ref (root->root) : replay_root_new ();
  replay_clear_threads (replay);
  lift_limits (replay->task.tid);
  if (ptrace (PTRACE_SETOPTIONS, replay->task.tid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0)
    {
      error_set_errno (error, "cannot trace the snapshot's process");
      return NULL;
    }
  if (!replay_map_arena (&replay->task, error) || !replay_set_threads (replay, threads, error)
      || !make_all_private (replay, error) || !replay_load (replay, first, error))
    return NULL;
  if (has_changing_code (replay->space))
    replay->code_event = next;
  return g_steal_pointer (&replay);
}
