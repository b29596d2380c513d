/* System calls at their entry and exit stops.

   The entry decides (sys_enter) what the kernel is to see; the exit turns
   what it did (sys_leave) into one SYSCALL event, or, if the thread slept
   and others ran meanwhile, into ENTER then and EXIT now.

   A call cut short by a signal exits with a restart code that user mode
   never sees.  Nothing is logged for it yet: either no handler runs and
   the kernel repeats the call (the entry stop comes again and the call
   just goes on), or signal_deliver ends it with EINTR first.  */

#include "record/internal.h"

#include "base/error.h"
#include "timeline/session.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define ERESTART_FIRST 512
#define ERESTART_LAST 516

gboolean
call_is_restart (gint64 result)
{
  return result <= -ERESTART_FIRST && result >= -ERESTART_LAST;
}

gboolean
call_set (Thread *t, GError **error)
{
  Regs regs = t->entry_regs;
  const SysCall *call = &t->call;

  if (call->answered)
    regs.orig_rax = ~0ull;
  else
    {
      regs.orig_rax = (guint64) call->call_nr;
      regs.rdi = call->call_args[0];
      regs.rsi = call->call_args[1];
      regs.rdx = call->call_args[2];
      regs.r10 = call->call_args[3];
      regs.r8 = call->call_args[4];
      regs.r9 = call->call_args[5];
    }
  t->call_changed = TRUE;
  return task_set_regs (&t->task, &regs, error);
}

static gboolean
unsupported (Thread *t, GError **error)
{
  g_autofree char *text = sys_describe (t->call.nr, t->call.args);

  return error_set (error, RETRO_ERROR_UNSUPPORTED, "cannot record the system call %s, made by thread %u at 0x%llx",
                    text, t->no + 1, (unsigned long long) t->entry_regs.rip - 2);
}

static gboolean
catches (const Recorder *r, gint64 nr)
{
  const LiveRequest *request = r->request;

  if (request == NULL || (!request->catch_all_calls && request->catch_calls == NULL))
    return FALSE;
  for (guint i = 0; !request->catch_all_calls && i < request->catch_calls->len; i++)
    if (g_array_index (request->catch_calls, gint64, i) == nr)
      return TRUE;
  return request->catch_all_calls;
}

static void
begin_call (Recorder *r, Thread *t)
{
  SysCall *call = &t->call;
  const Regs *regs = &t->entry_regs;
  const guint64 args[6] = { regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9 };

  g_clear_pointer (&t->entry_xstate, g_bytes_unref);
  sys_call_clear (call);
  memset (call, 0, sizeof *call);
  call->nr = call->call_nr = (gint64) regs->orig_rax;
  memcpy (call->args, args, sizeof args);
  memcpy (call->call_args, args, sizeof args);
  call->task = &t->task;
  call->pid = r->pid;
  call->space = r->space;
  call->log = r->log;
  call->state = r->sys;
  call->row = sys_row (call->nr);
  t->call_changed = FALSE;
}

/* Wait until T, in a call that does not sleep for long, is out of it.  Calls
   about threads and processes can end under another tid.  */
static gboolean
await_exit (Recorder *r, Thread *t, GError **error)
{
  while (t->state == THREAD_IN_CALL && !r->ended)
    {
      gboolean any = (t->call.row->flags & SYS_RECORDER) != 0 || t->interrupted;
      pid_t tid;
      int status;

      if (!wait_next (r, any ? 0 : t->task.tid, 0, &tid, &status, error))
        return FALSE;
      if (tid == -1)
        r->want_stop = TRUE;
      else if (tid > 0 && !recorder_dispatch (r, tid, status, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
call_await (Recorder *r, Thread *t, GError **error)
{
  gboolean asleep;
  int status;

  t->state = THREAD_IN_CALL;
  if (!t->call.blocks)
    return await_exit (r, t, error);
  if (!recorder_other_ready (r, t))
    return TRUE; /* the main loop waits for whatever comes first  */
  if (!wait_asleep (r, t, &asleep, &status, error))
    return FALSE;
  if (asleep)
    return call_log_enter (r, t, error);
  return recorder_dispatch (r, t->task.tid, status, error);
}

gboolean
call_cancel (Recorder *r, Thread *t, Regs *regs_ret, gboolean *left_ret, GError **error)
{
  pid_t tid;
  int status;

  *left_ret = FALSE;
  *regs_ret = t->entry_regs;
  regs_ret->orig_rax = ~0ull;
  if (!task_set_regs (&t->task, regs_ret, error) || !thread_resume (r, t, PTRACE_SYSCALL, 0, error))
    return FALSE;
  do
    {
      if (!wait_next (r, t->task.tid, 0, &tid, &status, error))
        return FALSE;
      if (tid == -1)
        r->want_stop = TRUE;
    }
  while (tid != t->task.tid);
  if (!WIFSTOPPED (status) || WSTOPSIG (status) != (SIGTRAP | 0x80))
    return recorder_dispatch (r, tid, status, error);
  regs_ret->rip -= 2;
  regs_ret->rax = (guint64) t->call.nr;
  t->in_syscall = FALSE;
  *left_ret = TRUE;
  return task_set_regs (&t->task, regs_ret, error);
}

/* Where T stands is shown as the entry of its call; but a task that is
   stopped there can run no injected call and no handler.  So the call is
   cancelled and T put in front of it: it makes the call again when it goes
   on.  In the log it is inside.  */
static gboolean
show_entry (Recorder *r, Thread *t, GError **error)
{
  Event *event = recorder_event (r, EV_ENTER, t);
  gboolean left;
  Regs regs;

  event->check = regs_check (&t->entry_regs, TRUE);
  event->nr = t->call.nr;
  memcpy (event->args, t->call.args, sizeof event->args);
  if (!recorder_log (r, event, error))
    return FALSE;
  t->entered = t->shown_entry = TRUE;
  if (!call_cancel (r, t, &regs, &left, error))
    return FALSE;
  if (!left)
    return TRUE;
  t->event_step = FALSE;
  t->state = THREAD_READY;
  thread_at_event (t, &regs);
  t->reported_pc = regs.rip;
  recorder_stop (r, LIVE_SYSCALL_ENTRY, t);
  r->stop->nr = t->call.nr;
  return TRUE;
}

gboolean
call_leave_entry (Recorder *r, Thread *t, GError **error)
{
  Event *event = call_event (r, t, -ERESTART_FIRST - 1);

  t->shown_entry = FALSE;
  event->has_regs = TRUE;
  if (!task_get_regs (&t->task, &event->regs, error))
    {
      event_free (event);
      return FALSE;
    }
  thread_at_event (t, &event->regs);
  t->entered = FALSE;
  return recorder_log (r, event, error);
}

/* T may sleep: its extended state cannot be read then, but a copy that is
   made for the debugger must have it.  */
static void
note_xstate (const Recorder *r, Thread *t)
{
  if (r->request != NULL && r->request->stop_signals)
    t->entry_xstate = task_get_xstate (&t->task, NULL);
}

gboolean
call_entered (Recorder *r, Thread *t, GError **error)
{
  gboolean again = t->state == THREAD_IN_CALL;

  t->in_syscall = TRUE;
  if (again)
    {
      /* The kernel repeats a call after a signal that nobody caught.  */
      t->interrupted = FALSE;
      if (t->call_changed && t->call.call_nr >= 0 && !call_set (t, error))
        return FALSE;
      return thread_resume (r, t, PTRACE_SYSCALL, 0, error);
    }
  if (!task_get_regs (&t->task, &t->entry_regs, error))
    return FALSE;
  begin_call (r, t);
  if (t->call.row == NULL || (t->call.row->flags & SYS_STOP) != 0)
    return unsupported (t, error);
  if (!t->entered && catches (r, t->call.nr))
    return show_entry (r, t, error);
  if ((t->call.row->flags & SYS_RECORDER) != 0)
    {
      note_xstate (r, t);
      return process_call_entered (r, t, error);
    }
  if (!sys_enter (&t->call, error))
    return FALSE;
  if ((t->call.changed || t->call.answered) && !call_set (t, error))
    return FALSE;
  if (t->call.answered)
    t->call.blocks = FALSE;
  if (t->call.blocks)
    note_xstate (r, t);
  t->moved = TRUE;
  return thread_resume (r, t, PTRACE_SYSCALL, 0, error) && call_await (r, t, error);
}

Event *
call_event (Recorder *r, Thread *t, gint64 result)
{
  Event *event = recorder_event (r, t->entered ? EV_EXIT : EV_SYSCALL, t);

  event->check = regs_check (&t->entry_regs, TRUE);
  event->nr = t->call.nr;
  memcpy (event->args, t->call.args, sizeof event->args);
  event->result = result;
  return event;
}

gboolean
call_log_enter (Recorder *r, Thread *t, GError **error)
{
  Event *event = recorder_event (r, t->shown_entry ? EV_MEMORY : EV_ENTER, t);

  sys_sleep (&t->call, event);
  t->entered = TRUE;
  t->moved = FALSE;
  if (t->shown_entry)
    {
      t->shown_entry = FALSE;
      if (event->writes != NULL)
        return recorder_log (r, event, error);
      event_free (event);
      return TRUE;
    }
  event->check = regs_check (&t->entry_regs, TRUE);
  event->nr = t->call.nr;
  memcpy (event->args, t->call.args, sizeof event->args);
  return recorder_log (r, event, error);
}

/* Whatever the row says of the call, this is how the registers come back;
   anything else is said by the event.  */
static gboolean
plain_return (const Thread *t, gint64 result, const Regs *after)
{
  Regs expected = t->entry_regs;

  expected.rax = (guint64) result;
  expected.rcx = expected.rip;
  expected.r11 = expected.eflags;
  expected.orig_rax = after->orig_rax;
  return memcmp (&expected, after, sizeof expected) == 0;
}

static void
report_return (Recorder *r, const Thread *t, gint64 nr)
{
  if (!catches (r, nr))
    return;
  recorder_stop (r, LIVE_SYSCALL_RETURN, t);
  r->stop->nr = nr;
}

gboolean
call_finish (Recorder *r, Thread *t, gint64 result, const Regs *after, GError **error)
{
  Event *event = call_event (r, t, result);

  t->call.result = result;
  if (!(t->call.row->flags & SYS_RECORDER) && !t->call.answered && !sys_leave (&t->call, event, error))
    {
      event_free (event);
      return FALSE;
    }
  if (sys_wants_look (&t->call) > r->look)
    r->look = sys_wants_look (&t->call);
  if (!recorder_other_moved (r, t) && !recorder_look (r, t, event, error))
    return FALSE;
  if (!plain_return (t, result, after))
    {
      event->has_regs = TRUE;
      event->regs = *after;
    }
  gint64 nr = t->call.nr;
  if (!recorder_log (r, event, error))
    return FALSE;
  t->entered = t->shown_entry = FALSE;
  t->interrupted = FALSE;
  t->state = THREAD_READY;
  thread_at_event (t, after);
  if (t == r->current && (t->call.row->flags & SYS_YIELD) != 0)
    r->slice_end = 0;
  report_return (r, t, nr);
  return TRUE;
}

gboolean
call_left (Recorder *r, Thread *t, GError **error)
{
  gboolean done = FALSE;
  Regs regs;

  t->in_syscall = FALSE;
  if (!task_get_regs (&t->task, &regs, error))
    return FALSE;
  if (t->call_changed)
    {
      Regs restored = t->entry_regs;

      restored.rax = t->call.answered ? (guint64) t->call.answer : regs.rax;
      restored.rcx = regs.rcx;
      restored.r11 = regs.r11;
      restored.orig_rax = t->call.answered ? ~0ull : regs.orig_rax;
      if (!task_set_regs (&t->task, &restored, error))
        return FALSE;
      regs = restored;
    }
  if (call_is_restart ((gint64) regs.rax) && t->call.nr != 15)
    {
      t->interrupted = TRUE;
      t->state = THREAD_IN_CALL;
      return thread_resume (r, t, PTRACE_SYSCALL, 0, error);
    }
  if ((t->call.row->flags & SYS_RECORDER) != 0)
    {
      gint64 nr = t->call.nr;
      gboolean is_exec = t->exec_done;

      if (!process_call_left (r, t, &done, error))
        return FALSE;
      if (done)
        {
          if (!is_exec && !r->stopped)
            report_return (r, t, nr);
          return TRUE;
        }
      if (!task_get_regs (&t->task, &regs, error))
        return FALSE;
    }
  return call_finish (r, t, (gint64) regs.rax, &regs, error);
}
