/* Attaching to a running process, and letting a program go.

   A thread found asleep in a call is taken out of it by the interruption;
   the kernel repeats the call when the thread goes on, so the thread is
   described as about to make it.  */

#include "record/internal.h"

#include "base/error.h"
#include "trace/trapped.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seize and stop thread TID.  *NEW_RET is FALSE if we have it already.  */
static gboolean
seize (Recorder *r, pid_t tid, gboolean *new_ret, GError **error)
{
  int status;

  *new_ret = FALSE;
  if (recorder_find_thread (r, tid) != NULL)
    return TRUE;
  if (ptrace (PTRACE_SEIZE, tid, 0, TASK_OPTIONS) != 0)
    return errno == ESRCH ? TRUE : error_set_errno (error, "cannot attach to process %d", r->pid);
  if (ptrace (PTRACE_INTERRUPT, tid, 0, 0) != 0)
    return error_set_errno (error, "cannot stop task %d", tid);
  Thread *t = recorder_add_thread (r, tid, error);
  if (t == NULL)
    return FALSE;
  do
    if (!task_wait (&t->task, &status, error))
      return FALSE;
  while (status >> 16 != PTRACE_EVENT_STOP && task_resume (&t->task, PTRACE_CONT, WSTOPSIG (status), NULL));
  *new_ret = TRUE;
  return TRUE;
}

static gboolean
seize_all (Recorder *r, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/task", r->pid);
  gboolean more = TRUE;

  /* Threads may be made while we look.  */
  while (more)
    {
      g_autoptr (GDir) dir = g_dir_open (path, 0, error);
      const char *name;

      if (dir == NULL)
        return FALSE;
      more = FALSE;
      while ((name = g_dir_read_name (dir)) != NULL)
        {
          gboolean is_new;

          if (!seize (r, atoi (name), &is_new, error))
            return FALSE;
          more = more || is_new;
        }
    }
  return r->threads->len > 0 ? TRUE : error_set (error, RETRO_ERROR_USAGE, "process %d has no threads", r->pid);
}

/* Registers as at the instruction that T executes next.  */
static gboolean
settle (Thread *t, ThreadImage *image, GError **error)
{
  if (!task_get_regs (&t->task, &image->regs, error))
    return FALSE;
  gint64 result = (gint64) image->regs.rax;
  if ((gint64) image->regs.orig_rax >= 0 && result <= -512 && result >= -516)
    {
      image->regs.rip -= 2;
      image->regs.rax = result == -516 ? SYS_restart_syscall : image->regs.orig_rax;
      image->regs.orig_rax = ~0ull;
      if (!task_set_regs (&t->task, &image->regs, error))
        return FALSE;
    }
  image->thread = t->no;
  image->tid = t->task.tid;
  image->xstate = task_get_xstate (&t->task, error);
  return image->xstate != NULL;
}

/* Make the process one that we can record: rdtsc and cpuid trap, no rseq, one CPU.  */
static gboolean
tame (Recorder *r, Thread *t, GError **error)
{
  struct
  {
    guint64 pointer;
    guint32 size, signature, flags, pad;
  } rseq = { 0 };
  gint64 result;
  cpu_set_t one;

  sched_getaffinity (t->task.tid, sizeof t->affinity, &t->affinity);
  CPU_ZERO (&one);
  CPU_SET (sched_getcpu (), &one);
  sched_setaffinity (t->task.tid, sizeof one, &one);
  sched_setaffinity (0, sizeof one, &one);
  if (!trapped_set (&t->task, TRUE, log_header (r->log)->traps_cpuid, error))
    return FALSE;
  if (ptrace ((enum __ptrace_request) 0x420f, t->task.tid, sizeof rseq, &rseq) > 0 && rseq.pointer != 0)
    {
      const guint64 args[6] = { rseq.pointer, rseq.size, 1, rseq.signature };

      if (!task_inject (&t->task, SYS_rseq, args, &result, NULL, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
image_all (Recorder *r, GError **error)
{
  g_autoptr (GPtrArray) more = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);
  Event *event = event_new (EV_IMAGE, 0);

  event->threads = g_array_new (FALSE, TRUE, sizeof (ThreadImage));
  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];
      ThreadImage image = { 0 };

      g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/comm", r->pid, t->task.tid);
      g_autofree char *comm = NULL;
      if (g_file_get_contents (path, &comm, NULL, NULL))
        g_strlcpy (image.name, g_strchomp (comm), sizeof image.name);
      if (!settle (t, &image, error))
        {
          event_free (event);
          return FALSE;
        }
      g_array_append_val (event->threads, image);
      thread_at_event (t, &image.regs);
    }
  if (!sys_image (&r->current->task, r->pid, r->log, event, more, error))
    {
      event_free (event);
      return FALSE;
    }
  if (!recorder_log (r, event, error))
    return FALSE;
  while (more->len > 0)
    if (!recorder_log (r, g_ptr_array_steal_index (more, 0), error))
      return FALSE;
  return TRUE;
}

Recorder *
recorder_attach (Log *log, pid_t pid, const RecordOptions *options, GError **error)
{
  g_autoptr (Recorder) r = recorder_new (log, options, error);

  if (r == NULL)
    return NULL;
  r->pid = pid;
  r->attached = TRUE;
  if (!seize_all (r, error))
    {
      recorder_detach (r, NULL);
      return NULL;
    }
  r->current = recorder_find_thread (r, pid);
  if (r->current == NULL)
    r->current = r->threads->pdata[0];
  sched_getaffinity (pid, sizeof r->affinity, &r->affinity);
  gboolean ok = spawn_find_syscall (r, r->current, error);
  for (guint i = 0; ok && i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];

      t->task.syscall_insn = r->current->task.syscall_insn;
      ok = tame (r, t, error) && vdso_step_out (r, t, error);
    }
  ok = ok && vdso_patch (r, &r->current->task, error) && loader_patch (r, &r->current->task, error);
  if (!ok || !image_all (r, error))
    {
      recorder_detach (r, NULL);
      return NULL;
    }
  return g_steal_pointer (&r);
}

gboolean
recorder_detach (Recorder *r, GError **error)
{
  if (r->ended)
    return error_set (error, RETRO_ERROR_USAGE, "The program is not being run.");
  if (r->current != NULL && r->current->state != THREAD_GONE)
    vdso_restore (r, &r->current->task);
  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];
      int status;

      if (t->state == THREAD_GONE)
        continue;
      if ((t->state == THREAD_IN_CALL && !t->woken) || t->state == THREAD_RUNNING)
        {
          /* Its next stop will do: interrupted, the call is repeated.  */
          ptrace (PTRACE_INTERRUPT, t->task.tid, 0, 0);
          if (!task_wait (&t->task, &status, NULL))
            continue;
        }
      if (t->task.syscall_insn != 0)
        trapped_set (&t->task, FALSE, log_header (r->log)->traps_cpuid, NULL);
      sched_setaffinity (t->task.tid, sizeof t->affinity, &t->affinity);
      ptrace (PTRACE_DETACH, t->task.tid, 0, t->signo);
    }
  r->ended = TRUE;
  return TRUE;
}
