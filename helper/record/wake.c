/* Threads that sleep in calls, taken out of them while the debugger has the
   floor: one, if there is no other, to run the calls that a copy needs; and
   those that wait for input from a terminal, which would take what the user
   types for the debugger.

   A thread is interrupted; since it is traced from call to call, the stop is
   the exit of the call.  The call is repeated by the kernel when the thread
   goes on.  The log has nothing of it.  */

#include "record/internal.h"

#include "base/error.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EINTR_RESULT (-4)
#define ERESTARTNOHAND_RESULT (-514)

/* T stopped at the exit of its call: was the call cut short?  It then goes on
   as after any signal, see call.c.  Calls that end with EINTR even if no
   handler ran are made to be repeated, since only we have interrupted them
   (a signal that is pending as well has its handler run and its EINTR).  */
static gboolean
was_cut_short (Thread *t, gboolean *cut_ret, GError **error)
{
  Regs regs;

  if (!task_get_regs (&t->task, &regs, error))
    return FALSE;
  *cut_ret = call_is_restart ((gint64) regs.rax);
  if (*cut_ret || (gint64) regs.rax != EINTR_RESULT)
    return TRUE;
  *cut_ret = TRUE;
  regs.rax = (guint64) ERESTARTNOHAND_RESULT;
  return task_set_regs (&t->task, &regs, error);
}

gboolean
wake_thread (Recorder *r, Thread *t, GError **error)
{
  if (t->woken)
    return TRUE;
  if (ptrace (PTRACE_INTERRUPT, t->task.tid, 0, 0) != 0)
    return error_set_errno (error, "cannot interrupt task %d", t->task.tid);
  while (t->state == THREAD_IN_CALL)
    {
      pid_t tid;
      int status;

      if (!wait_next (r, t->task.tid, 0, &tid, &status, error))
        return FALSE;
      if (tid <= 0)
        continue;
      if (WIFSTOPPED (status) && status >> 16 == PTRACE_EVENT_STOP)
        t->woken = TRUE;
      else if (t->in_syscall && WIFSTOPPED (status) && status >> 8 == (SIGTRAP | 0x80)
               && !was_cut_short (t, &t->woken, error))
        return FALSE;
      if (t->woken)
        {
          t->interrupted = t->interrupted || t->in_syscall;
          t->in_syscall = FALSE;
          return TRUE;
        }
      if (!recorder_dispatch (r, tid, status, error))
        return FALSE;
    }
  return TRUE; /* its call has ended meanwhile, or the thread has  */
}

/* Is T asleep in a call that takes input from a terminal?  */
static gboolean
reads_terminal (const Recorder *r, const Thread *t)
{
  static const gint64 reads[] = { SYS_read, SYS_readv, SYS_preadv2, SYS_splice };
  gboolean is_read = FALSE;
  char path[64], target[64];

  for (gsize i = 0; i < G_N_ELEMENTS (reads); i++)
    is_read = is_read || t->call.nr == reads[i];
  if (!is_read)
    return FALSE;
  g_snprintf (path, sizeof path, "/proc/%d/fd/%d", r->pid, (int) t->call.args[0]);
  ssize_t n = readlink (path, target, sizeof target - 1);
  target[MAX (n, 0)] = 0;
  return g_str_has_prefix (target, "/dev/pts/") || g_str_has_prefix (target, "/dev/tty")
         || strcmp (target, "/dev/console") == 0;
}

gboolean
wake_readers (Recorder *r, GError **error)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];

      if (t->state == THREAD_IN_CALL && t->in_syscall && reads_terminal (r, t) && !wake_thread (r, t, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
wake_release (Recorder *r, GError **error)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];

      if (!t->woken)
        continue;
      t->woken = FALSE;
      if (t->state == THREAD_IN_CALL && !thread_resume (r, t, PTRACE_SYSCALL, 0, error))
        return FALSE;
    }
  return TRUE;
}
