/* The book-keeping of a replay: threads, registers, the position.

   Registers move between the table and the one kernel task only when
   another thread's turn comes, so a single-threaded program never pays
   for it.  See replay.h for the model and private.h for the files.

   ptrace fact: after a PTRACE_SYSEMU stop the kernel still has its own
   way out of the call to go, and a single step made there ends before any
   instruction; replay_settle takes that step for callers who count.  */

#include "replay/private.h"

#include "base/error.h"
#include "base/hash.h"

#include <string.h>
#include <sys/mman.h>

#define FLAG_TF 0x100ull
#define FLAG_RF 0x10000ull
/* A log that asks for more threads than this is malformed.  */
#define MAX_THREADS 1000000

/* --- Roots --- */

ReplayRoot *
replay_root_new (void)
{
  ReplayRoot *root = g_new0 (ReplayRoot, 1);

  root->refs = 1;
  return root;
}

ReplayRoot *
replay_root_ref (ReplayRoot *root)
{
  root->refs++;
  return root;
}

void
replay_root_unref (ReplayRoot *root)
{
  if (root == NULL || --root->refs != 0)
    return;
  g_clear_pointer (&root->ticks, ticks_free);
  g_free (root);
}

/* --- Threads --- */

static void
clear_thread (gpointer data)
{
  ReplayThread *thread = data;

  g_clear_pointer (&thread->xstate, g_bytes_unref);
  g_free (thread);
}

void
replay_clear_threads (Replay *replay)
{
  g_clear_pointer (&replay->threads, g_ptr_array_unref);
  replay->threads = g_ptr_array_new_with_free_func (clear_thread);
  replay->loaded = NO_THREAD;
}

ReplayThread *
replay_thread (Replay *replay, ThreadNo no, GError **error)
{
  if (no < replay->threads->len)
    {
      ReplayThread *thread = g_ptr_array_index (replay->threads, no);

      if (!thread->gone)
        return thread;
    }
  error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " is of thread %u, which does not exist then",
             replay->event, no);
  return NULL;
}

ReplayThread *
replay_add_thread (Replay *replay, ThreadNo no, GError **error)
{
  if (no > MAX_THREADS || (no < replay->threads->len && !((ReplayThread *) g_ptr_array_index (replay->threads, no))->gone))
    {
      error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " makes thread %u, which exists",
                 replay->event, no);
      return NULL;
    }
  while (replay->threads->len <= no)
    {
      ReplayThread *thread = g_new0 (ReplayThread, 1);

      thread->no = replay->threads->len;
      thread->gone = TRUE;
      g_ptr_array_add (replay->threads, thread);
    }

  ReplayThread *thread = g_ptr_array_index (replay->threads, no);

  thread->gone = FALSE;
  return thread;
}

const GPtrArray *
replay_threads (const Replay *replay)
{
  return replay->threads;
}

/* --- Registers --- */

/* What goes into the task: no call for the kernel to restart.  A trap flag
   is the program's own: the kernel hides those of single steps.  */
static gboolean
load_regs (Replay *replay, const Regs *regs, GError **error)
{
  Regs copy = *regs;

  copy.orig_rax = ~0ull;
  copy.eflags &= ~FLAG_RF;
  return task_set_regs (&replay->task, &copy, error);
}

gboolean
replay_get_regs (Replay *replay, ThreadNo no, Regs *regs_ret, GError **error)
{
  ReplayThread *thread = replay_thread (replay, no, error);

  if (thread == NULL)
    return FALSE;
  /* Of a thread in a call the table has more: orig_rax.  */
  if (no != replay->loaded || thread->in_call)
    *regs_ret = thread->regs;
  else if (!task_get_regs (&replay->task, regs_ret, error))
    return FALSE;
  regs_ret->eflags &= ~FLAG_RF;
  return TRUE;
}

gboolean
replay_set_regs (Replay *replay, ThreadNo no, const Regs *regs, GError **error)
{
  ReplayThread *thread = replay_thread (replay, no, error);

  if (thread == NULL)
    return FALSE;
  thread->regs = *regs;
  return no != replay->loaded || load_regs (replay, regs, error);
}

GBytes *
replay_get_xstate (Replay *replay, ThreadNo no, GError **error)
{
  ReplayThread *thread = replay_thread (replay, no, error);

  if (thread == NULL)
    return NULL;
  if (no == replay->loaded)
    return task_get_xstate (&replay->task, error);
  g_assert (thread->xstate != NULL);
  return g_bytes_ref (thread->xstate);
}

gboolean
replay_set_xstate (Replay *replay, ThreadNo no, GBytes *xstate, GError **error)
{
  ReplayThread *thread = replay_thread (replay, no, error);

  if (thread == NULL)
    return FALSE;
  if (no == replay->loaded)
    return task_set_xstate (&replay->task, xstate, error);
  g_bytes_ref (xstate);
  g_clear_pointer (&thread->xstate, g_bytes_unref);
  thread->xstate = xstate;
  return TRUE;
}

/* The loaded thread's registers go back into the table.  */
static gboolean
unload (Replay *replay, GError **error)
{
  if (replay->loaded == NO_THREAD)
    return TRUE;

  ReplayThread *thread = g_ptr_array_index (replay->threads, replay->loaded);

  if (!thread->gone)
    {
      if (!thread->in_call && !task_get_regs (&replay->task, &thread->regs, error))
        return FALSE;
      g_clear_pointer (&thread->xstate, g_bytes_unref);
      thread->xstate = task_get_xstate (&replay->task, error);
      if (thread->xstate == NULL)
        return FALSE;
    }
  replay->loaded = NO_THREAD;
  return TRUE;
}

gboolean
replay_load (Replay *replay, ThreadNo no, GError **error)
{
  ReplayThread *thread = replay_thread (replay, no, error);

  if (thread == NULL)
    return FALSE;
  if (replay->loaded == no)
    return TRUE;
  if (!unload (replay, error) || !load_regs (replay, &thread->regs, error))
    return FALSE;
  /* An empty one: the recorder could not tell, and it does not matter.  */
  if (thread->xstate != NULL && g_bytes_get_size (thread->xstate) != 0 && !task_set_xstate (&replay->task, thread->xstate, error))
    return FALSE;
  replay->loaded = no;
  return TRUE;
}

gboolean
replay_settle (Replay *replay, GError **error)
{
  int status;

  if (!replay->entered)
    return TRUE;
  replay->entered = FALSE;
  return task_step (&replay->task, &status, error);
}

/* --- The position --- */

EventNo
replay_event (const Replay *replay)
{
  return replay->event;
}

gboolean
replay_is_inside (const Replay *replay)
{
  return replay->inside;
}

Log *
replay_log (const Replay *replay)
{
  return replay->log;
}

Task *
replay_task (Replay *replay)
{
  return &replay->task;
}

const Space *
replay_space (const Replay *replay)
{
  return replay->space;
}

gboolean
replay_event_runs (const Event *event)
{
  static const gboolean runs[EV_KINDS] = {
    [EV_SYSCALL] = TRUE, [EV_ENTER] = TRUE, [EV_TSC] = TRUE, [EV_POINT] = TRUE,
  };

  return event->kind == EV_SIGNAL ? event->sync : (unsigned) event->kind < EV_KINDS && runs[event->kind];
}

const Event *
replay_peek (Replay *replay, GError **error)
{
  if (replay->event >= log_length (replay->log))
    return NULL;
  return log_get (replay->log, replay->event, error);
}

ThreadNo
replay_current (const Replay *replay)
{
  const Event *event = replay->event < log_length (replay->log) ? log_get (replay->log, replay->event, NULL) : NULL;

  return event != NULL && (replay_event_runs (event) || replay->loaded == NO_THREAD) ? event->thread : replay->loaded;
}

gboolean
replay_select (Replay *replay, GError **error)
{
  g_autoptr (GError) failed = NULL;
  const Event *event = replay_peek (replay, &failed);

  if (failed != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failed));
      return FALSE;
    }
  if (event != NULL && replay_event_runs (event) && !replay_load (replay, event->thread, error))
    return FALSE;
  return replay_settle (replay, error);
}

gboolean
replay_switch (Replay *replay, ThreadNo no, GError **error)
{
  ReplayThread *thread = replay_thread (replay, no, error);

  if (thread == NULL || !replay_settle (replay, error))
    return FALSE;
  if (thread->in_call && replay->loaded == no)
    {
      /* What is in the task is not what the table says.  */
      thread->in_call = FALSE;
      return load_regs (replay, &thread->regs, error);
    }
  thread->in_call = FALSE;
  return replay_load (replay, no, error);
}

guint64
replay_arrivals (const Replay *replay)
{
  return replay->arrivals;
}

void
replay_moved (Replay *replay)
{
  replay->inside = TRUE;
}

/* What identifies the code of the program at this moment: the executable
   mappings and, where their contents can change (a JIT compiler), when
   they last did.  */
static guint64
code_epoch (const Replay *replay)
{
  guint64 h = replay->code_event;

  for (guint i = 0; i < replay->space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (replay->space->maps, Mapping, i);

      if (!(m->prot & PROT_EXEC))
        continue;
      h = hash_word (hash_word (h, m->start), m->end);
      h = hash_word (hash_word (h, m->offset), (guint64) m->file << 32 | m->prot);
    }
  return h;
}

Ticks *
replay_ticks (Replay *replay, GError **error)
{
  ReplayRoot *root = replay->root;
  guint64 epoch = code_epoch (replay);

  if (root->ticks == NULL)
    {
      root->ticks = ticks_new (error);
      if (root->ticks == NULL)
        return NULL;
      root->epoch = epoch;
    }
  if (!replay_map_cache (replay, error))
    return NULL;
  /* Copies at different times may have different code at one address.  */
  if (root->epoch != epoch)
    {
      ticks_flush (root->ticks);
      root->epoch = epoch;
    }
  return root->ticks;
}

static guint64
hash_regs (guint64 h, const Regs *regs)
{
  Regs copy = *regs;

  copy.orig_rax = 0;
  copy.eflags &= ~(FLAG_TF | FLAG_RF);
  copy.cs = copy.ss = copy.ds = copy.es = copy.fs = copy.gs = 0;
  return hash_word (h, hash_bytes (&copy, sizeof copy, 1));
}

gboolean
replay_digest (Replay *replay, guint64 *digest_ret, GError **error)
{
  guint64 h;

  if (!space_digest (replay->space, &replay->task, &h, error))
    return FALSE;
  for (guint i = 0; i < replay->threads->len; i++)
    {
      ReplayThread *thread = g_ptr_array_index (replay->threads, i);
      Regs regs;

      if (thread->gone)
        continue;
      if (!replay_get_regs (replay, i, &regs, error))
        return FALSE;

      g_autoptr (GBytes) xstate = replay_get_xstate (replay, i, error);

      if (xstate == NULL)
        return FALSE;
      h = hash_word (hash_regs (h, &regs), (guint64) i << 32 | xstate_hash (xstate));
      h = hash_word (h, thread->in_call);
    }
  *digest_ret = hash_finish (h);
  return TRUE;
}

void
replay_free (Replay *replay)
{
  if (replay == NULL)
    return;
  task_kill (&replay->task);
  g_clear_pointer (&replay->space, space_free);
  g_clear_pointer (&replay->threads, g_ptr_array_unref);
  g_clear_pointer (&replay->root, replay_root_unref);
  g_free (replay);
}

Replay *
replay_new (Log *log, EventNo first, GError **error)
{
  g_autoptr (Replay) replay = g_new0 (Replay, 1);
  const Event *event = NULL;

  replay->log = log;
  replay->event = first;
  replay->task = (Task) TASK_INIT;
  replay->root = replay_root_new ();
  replay_clear_threads (replay);
  if (first < log_length (log) && (event = log_get (log, first, error)) == NULL)
    return NULL;
  if (event == NULL || event->kind != EV_IMAGE)
    {
      error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " is not the image of a program", first);
      return NULL;
    }
  if (!replay_apply (replay, event, NULL, error))
    return NULL;
  for (;;)
    {
      g_autoptr (GError) failed = NULL;

      event = replay_peek (replay, &failed);
      if (failed != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&failed));
          return NULL;
        }
      if (event == NULL || event->kind != EV_MEMORY)
        break;
      if (!replay_apply (replay, event, NULL, error))
        return NULL;
    }
  return g_steal_pointer (&replay);
}
