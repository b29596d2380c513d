/* CPU affinity, as the program believes to have it.

   All its threads share the tracer's CPU; what they ask for is remembered,
   told them when they ask again, and given to the processes they make,
   which run free.  */

#include "record/internal.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>

/* The thread that a call with PID is about; NULL: not one of ours.  */
static Thread *
find_target (const Recorder *r, Thread *t)
{
  pid_t pid = (pid_t) t->call.args[0];

  return pid == 0 ? t : recorder_find_thread (r, pid);
}

static gint64
remember (const Recorder *r, const Thread *t, Thread *target)
{
  gsize length = MIN ((gsize) (guint32) t->call.args[1], sizeof (cpu_set_t));
  cpu_set_t wish;

  CPU_ZERO (&wish);
  if (task_read_some (&t->task, t->call.args[2], &wish, length) != length)
    return -EFAULT;
  CPU_AND (&wish, &wish, &r->affinity);
  if (CPU_COUNT (&wish) == 0)
    return -EINVAL;
  target->affinity = wish;
  return 0;
}

void
affinity_set (Recorder *r, Thread *t)
{
  Thread *target = find_target (r, t);

  if (target == NULL)
    return;
  t->call.answered = TRUE;
  t->call.answer = remember (r, t, target);
}

gboolean
affinity_left_get (Recorder *r, Thread *t, const Regs *regs, GError **error)
{
  const Thread *target = find_target (r, t);
  gsize length = (gint64) regs->rax > 0 ? regs->rax : 0;
  Event *event = call_event (r, t, (gint64) regs->rax);
  g_autofree guint8 *mask = g_malloc (length);

  if ((length > 0 && target != NULL
       && !task_write (&t->task, t->call.args[2], &target->affinity, MIN (length, sizeof (cpu_set_t)), error))
      || !task_read (&t->task, t->call.args[2], mask, length, error))
    {
      event_free (event);
      return FALSE;
    }
  if (length > 0)
    event_add_write (event, t->call.args[2], mask, length);
  if (!recorder_log (r, event, error))
    return FALSE;
  t->entered = t->shown_entry = FALSE;
  t->state = THREAD_READY;
  thread_at_event (t, regs);
  return TRUE;
}
