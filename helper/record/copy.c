/* A replay of the live program's present moment, and the debugger's
   changes to it.

   The copy is a clone of the process made by a call injected into one of
   its threads: one task whatever the number of threads, with the
   program's memory copied on write.  CLONE_PARENT and no exit signal keep
   it out of the program's sight and its wait calls; its descriptors are
   closed at once, and a session of its own keeps terminal signals away.  */

#include "record/internal.h"

#include "base/error.h"

#include <errno.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A thread that can run an injected call.  */
static Thread *
find_host (Recorder *r, GError **error)
{
  Thread *asleep = NULL;

  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];

      if (t->state == THREAD_READY)
        return t;
      if (t->state == THREAD_IN_CALL && asleep == NULL)
        asleep = t;
    }
  if (asleep == NULL)
    error_set (error, RETRO_ERROR_FAILED, "no thread of the program can be copied now");
  else if (!wake_thread (r, asleep, error))
    return NULL;
  return asleep;
}

static gboolean
describe_threads (Recorder *r, GArray *threads, GError **error)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];
      ThreadImage image = { .thread = t->no, .tid = t->task.tid };

      if (t->state == THREAD_GONE || t->state == THREAD_EXITING)
        continue;
      image.in_call = (t->entered && (t->state == THREAD_IN_CALL || t->interrupted)) || t->shown_entry;
      if (t->shown_entry || t->in_syscall || t->interrupted || t->state == THREAD_IN_CALL)
        image.regs = t->entry_regs;
      else if (!task_get_regs (&t->task, &image.regs, error))
        return FALSE;
      image.xstate = task_get_xstate (&t->task, NULL);
      if (image.xstate == NULL)
        {
          /* Asleep: as it was when the call began.  */
          image.xstate = t->entry_xstate != NULL ? g_bytes_ref (t->entry_xstate) : g_bytes_new (NULL, 0);
        }
      g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/comm", r->pid, t->task.tid);
      g_autofree char *comm = NULL;
      if (g_file_get_contents (path, &comm, NULL, NULL))
        g_strlcpy (image.name, g_strchomp (comm), sizeof image.name);
      g_array_append_val (threads, image);
    }
  return TRUE;
}

static void
clear_image (gpointer data)
{
  ThreadImage *image = data;

  g_bytes_unref (image->xstate);
}

gboolean
copy_process (Thread *host, Task *copy_ret, GError **error)
{
  static const guint64 clone_args[6] = { CLONE_PARENT };
  static const guint64 close_args[6] = { 0, ~0u, 0 };
  static const guint64 none[6];
  gint64 result = 0;
  pid_t pid = 0;

  if (!task_inject (&host->task, SYS_clone, clone_args, &result, &pid, error))
    return FALSE;
  if (result < 0 || pid == 0)
    {
      errno = (int) -result;
      return error_set_errno (error, "cannot copy the program");
    }
  if (!task_init (copy_ret, pid, error))
    return FALSE;
  copy_ret->syscall_insn = host->task.syscall_insn;
  if (task_inject (copy_ret, SYS_close_range, close_args, &result, NULL, error)
      && task_inject (copy_ret, SYS_setsid, none, &result, NULL, error))
    return TRUE;
  task_kill (copy_ret);
  return FALSE;
}

Replay *
recorder_copy (Recorder *r, GError **error)
{
  g_autoptr (GArray) threads = g_array_new (FALSE, TRUE, sizeof (ThreadImage));
  Task copy = TASK_INIT;
  Thread *host = find_host (r, error);

  g_array_set_clear_func (threads, clear_image);
  if (host == NULL || !describe_threads (r, threads, error))
    return NULL;
  if (!copy_process (host, &copy, error))
    return NULL;
  ThreadNo first = r->current != NULL && r->current->state != THREAD_GONE ? r->current->no : host->no;
  Replay *replay = replay_adopt (r->log, &copy, r->space, threads, first, log_length (r->log), r->root, error);
  if (replay == NULL)
    task_kill (&copy);
  return replay;
}

void
recorder_set_root (Recorder *r, Replay *root)
{
  r->root = root;
}

/* ---- Changes ---- */

gboolean
recorder_poke (Recorder *r, Addr addr, gconstpointer data, gsize length, GError **error)
{
  Thread *t = r->current;

  /* The last to run may be gone.  */
  for (guint i = 0; i < r->threads->len && (t == NULL || t->state == THREAD_GONE); i++)
    t = r->threads->pdata[i];
  if (r->ended || t == NULL || t->state == THREAD_GONE)
    return error_set (error, RETRO_ERROR_USAGE, "The program is not being run.");
  if (!task_write (&t->task, addr, data, length, error))
    return FALSE;
  Event *event = recorder_event (r, EV_POKE, t);
  event_add_write (event, addr, data, length);
  if (!recorder_log (r, event, error))
    return FALSE;
  /* What is counted is counted from here on.  */
  Regs regs = t->last_regs;
  if (!t->moved)
    thread_at_event (t, &regs);
  return TRUE;
}

gboolean
recorder_poke_regs (Recorder *r, ThreadNo no, const Regs *regs, GBytes *xstate, GError **error)
{
  Thread *t = no < r->threads->len ? r->threads->pdata[no] : NULL;

  if (r->ended || t == NULL || t->state != THREAD_READY || t->shown_entry)
    return error_set (error, RETRO_ERROR_USAGE, "Thread %u is in a system call; its registers cannot be changed now.",
                      no + 1);
  if (!task_set_regs (&t->task, regs, error) || (xstate != NULL && !task_set_xstate (&t->task, xstate, error)))
    return FALSE;
  Event *event = recorder_event (r, EV_POKE, t);
  event->has_regs = TRUE;
  event->regs = *regs;
  event->xstate = xstate != NULL ? g_bytes_ref (xstate) : NULL;
  if (!recorder_log (r, event, error))
    return FALSE;
  thread_at_event (t, regs);
  return TRUE;
}
