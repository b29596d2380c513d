/* What the events do to the task and the table of threads.

   One small function for each kind; all get the registers on arrival in
   the form that a system-call-entry stop shows (pc behind the
   instruction), or NULL where nothing ran.  Afterwards the position is
   one event further.

   The results of a call are put into the thread's registers as the CPU's
   SYSCALL instruction and the kernel leave them: rcx = rip, r11 = rflags.  */

#include "replay/private.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define FLAG_TF 0x100ull
#define FLAG_RF 0x10000ull

static gboolean
apply_memory (Replay *replay, const Event *event, GError **error)
{
  for (guint i = 0; event->ops != NULL && i < event->ops->len; i++)
    if (!replay_apply_op (replay, &g_array_index (event->ops, MapOp, i), error))
      return FALSE;
  for (guint i = 0; event->writes != NULL && i < event->writes->len; i++)
    {
      const MemWrite *write = &g_array_index (event->writes, MemWrite, i);
      gsize length;
      gconstpointer data = g_bytes_get_data (write->data, &length);

      if (!replay_write (replay, write->addr, data, length, error))
        return FALSE;
    }
  return TRUE;
}

/* REGS as they are when the call returns RESULT.  */
static void
return_from_call (Regs *regs, gint64 result)
{
  regs->rax = (guint64) result;
  regs->rcx = regs->rip;
  regs->r11 = regs->eflags & ~(FLAG_TF | FLAG_RF);
  regs->orig_rax = ~0ull;
}

/* THREAD's registers while it is in call NR, entered with REGS.  */
static void
stay_in_call (ReplayThread *thread, const Regs *regs, gint64 nr)
{
  thread->regs = *regs;
  return_from_call (&thread->regs, -ENOSYS);
  thread->regs.orig_rax = (guint64) nr;
}

static gboolean
apply_regs (Replay *replay, const Event *event, GError **error)
{
  if (event->has_regs && !replay_set_regs (replay, event->thread, &event->regs, error))
    return FALSE;
  return event->xstate == NULL || replay_set_xstate (replay, event->thread, event->xstate, error);
}

/* The thread that a call made: a copy of its parent but for a few
   registers.  */
static gboolean
apply_new_thread (Replay *replay, const Event *event, const Regs *parent_regs, GError **error)
{
  ReplayThread *parent = replay_thread (replay, event->thread, error);
  g_autoptr (GBytes) xstate = NULL;
  ReplayThread *thread;

  if (parent == NULL || (xstate = replay_get_xstate (replay, event->thread, error)) == NULL
      || (thread = replay_add_thread (replay, event->new_thread, error)) == NULL)
    return FALSE;
  thread->tid = event->new_tid;
  thread->in_call = FALSE;
  memcpy (thread->name, parent->name, sizeof thread->name);
  thread->regs = *parent_regs;
  thread->regs.rax = 0;
  if (event->new_sp != 0)
    thread->regs.rsp = event->new_sp;
  if (event->new_has_fs)
    thread->regs.fs_base = event->new_fs;
  g_clear_pointer (&thread->xstate, g_bytes_unref);
  thread->xstate = g_steal_pointer (&xstate);
  return TRUE;
}

/* Calls that change what people are shown of a thread.  */
static void
note_name (Replay *replay, ReplayThread *thread, gint64 nr, const guint64 args[6], gint64 result)
{
  if (nr != SYS_prctl || args[0] != PR_SET_NAME || result != 0)
    return;
  memset (thread->name, 0, sizeof thread->name);
  task_read_some (&replay->task, args[1], thread->name, sizeof thread->name - 1);
}

static gboolean
apply_return (Replay *replay, const Event *event, const Regs *at_entry, GError **error)
{
  ReplayThread *thread = replay_thread (replay, event->thread, error);
  Regs regs = *at_entry;

  if (thread == NULL || !apply_memory (replay, event, error))
    return FALSE;
  thread->in_call = event->no_return;
  if (event->no_return)
    {
      stay_in_call (thread, &regs, event->nr);
      return TRUE;
    }
  if (event->has_regs)
    regs = event->regs;
  else
    return_from_call (&regs, event->result);
  if (!replay_set_regs (replay, event->thread, &regs, error))
    return FALSE;
  if (event->xstate != NULL && !replay_set_xstate (replay, event->thread, event->xstate, error))
    return FALSE;
  note_name (replay, thread, event->nr, event->args, event->result);
  return event->new_thread == NO_THREAD || apply_new_thread (replay, event, &regs, error);
}

static gboolean
apply_syscall (Replay *replay, const Event *event, const Regs *arrival, GError **error)
{
  return apply_return (replay, event, arrival, error);
}

static gboolean
apply_enter (Replay *replay, const Event *event, const Regs *arrival, GError **error)
{
  ReplayThread *thread = replay_thread (replay, event->thread, error);

  if (thread == NULL || !apply_memory (replay, event, error))
    return FALSE;
  stay_in_call (thread, arrival, event->nr);
  thread->in_call = TRUE;
  return TRUE;
}

static gboolean
apply_exit (Replay *replay, const Event *event, const Regs *arrival, GError **error)
{
  ReplayThread *thread = replay_thread (replay, event->thread, error);

  (void) arrival;
  if (thread == NULL)
    return FALSE;
  if (!thread->in_call)
    return error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " leaves a call that thread %u did not enter",
                      replay->event, event->thread);

  /* A copy: apply_return may make threads.  */
  Regs regs = thread->regs;

  return apply_return (replay, event, &regs, error);
}

static gboolean
apply_simple (Replay *replay, const Event *event, const Regs *arrival, GError **error)
{
  (void) arrival;
  return apply_memory (replay, event, error) && apply_regs (replay, event, error);
}

static gboolean
apply_memory_only (Replay *replay, const Event *event, const Regs *arrival, GError **error)
{
  (void) arrival;
  return apply_memory (replay, event, error);
}

static gboolean
apply_nothing (Replay *replay, const Event *event, const Regs *arrival, GError **error)
{
  (void) replay;
  (void) event;
  (void) arrival;
  (void) error;
  return TRUE;
}

static gboolean
apply_thread_exit (Replay *replay, const Event *event, const Regs *arrival, GError **error)
{
  ReplayThread *thread = replay_thread (replay, event->thread, error);

  (void) arrival;
  if (thread == NULL || !apply_memory (replay, event, error))
    return FALSE;
  thread->gone = TRUE;
  thread->in_call = FALSE;
  if (replay->loaded == event->thread)
    replay->loaded = NO_THREAD;
  return TRUE;
}

/* A program begins: a new process in the place of the old one.  */
static gboolean
apply_image (Replay *replay, const Event *event, const Regs *arrival, GError **error)
{
  (void) arrival;
  task_kill (&replay->task);
  g_clear_pointer (&replay->root, replay_root_unref);
  replay->root = replay_root_new ();
  replay->cache_mapped = FALSE;
  replay->entered = FALSE;
  g_clear_pointer (&replay->space, space_free);
  replay->space = space_new ();
  space_set_files (replay->space, log_dir (replay->log));
  replay->code_event = 0;
  for (guint i = 0; i < replay->threads->len; i++)
    ((ReplayThread *) g_ptr_array_index (replay->threads, i))->gone = TRUE;
  replay->loaded = NO_THREAD;
  if (!replay_spawn (&replay->task, log_header (replay->log)->traps_cpuid, error) || !apply_memory (replay, event, error))
    return FALSE;
  if (event->threads == NULL || event->threads->len == 0)
    return error_set (error, RETRO_ERROR_FORMAT, "the image at event %" G_GUINT64_FORMAT " has no threads",
                      replay->event);
  return replay_set_threads (replay, event->threads, error)
         && replay_load (replay, g_array_index (event->threads, ThreadImage, 0).thread, error);
}

gboolean
replay_set_threads (Replay *replay, const GArray *images, GError **error)
{
  for (guint i = 0; i < images->len; i++)
    {
      const ThreadImage *image = &g_array_index (images, ThreadImage, i);
      ReplayThread *thread = replay_add_thread (replay, image->thread, error);

      if (thread == NULL)
        return FALSE;
      thread->tid = image->tid;
      thread->in_call = image->in_call;
      thread->regs = image->regs;
      g_clear_pointer (&thread->xstate, g_bytes_unref);
      if (image->xstate != NULL)
        thread->xstate = g_bytes_ref (image->xstate);
      memcpy (thread->name, image->name, sizeof thread->name);
    }
  return TRUE;
}

static gboolean
check_digest (Replay *replay, const Event *event, GError **error)
{
  guint64 digest;

  if (!event->has_digest)
    return TRUE;
  if (!space_digest (replay->space, &replay->task, &digest, error))
    return FALSE;
  return digest == event->digest || replay_diverged (replay, event, error, "memory differs after it");
}

gboolean
replay_apply (Replay *replay, const Event *event, const Regs *arrival, GError **error)
{
  static gboolean (*const apply[EV_KINDS]) (Replay *, const Event *, const Regs *, GError **) = {
    [EV_IMAGE] = apply_image,   [EV_MEMORY] = apply_memory_only, [EV_SYSCALL] = apply_syscall,
    [EV_ENTER] = apply_enter,   [EV_EXIT] = apply_exit,          [EV_SIGNAL] = apply_simple,
    [EV_TSC] = apply_simple,    [EV_POINT] = apply_nothing,      [EV_THREAD_EXIT] = apply_thread_exit,
    [EV_POKE] = apply_simple,   [EV_END] = apply_nothing,
  };

  if ((unsigned) event->kind >= EV_KINDS || apply[event->kind] == NULL)
    return error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " is of kind %d", replay->event,
                      (int) event->kind);
  if (!apply[event->kind](replay, event, arrival, error) || !check_digest (replay, event, error))
    return FALSE;
  replay->event++;
  replay->inside = FALSE;
  replay->arrivals = 0;
  replay->in_rep = FALSE;
  return TRUE;
}
