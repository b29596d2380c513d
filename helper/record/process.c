/* Threads and processes made, replaced and ended.

   Threads of the program are traced from their birth.  Other processes
   (fork, posix_spawn, system) run free: they are cleaned of everything of
   ours at birth (breakpoints, the trap on rdtsc, the pinned CPU) and let
   go.  A child that would share our memory (vfork) gets a copy instead:
   see vfork.c.

   The kernel writes memory when a thread exits: the word at its
   clear_child_tid address and its robust futexes.  The exiting thread has
   the program for itself until it is gone, so those writes belong to its
   THREAD_EXIT event.  */

#include "record/internal.h"

#include "base/error.h"
#include "timeline/session.h"
#include "trace/trapped.h"

#include <errno.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROBUST_MAX 2048

/* What a call that makes a task asks for, however it is spelt.  */
typedef struct
{
  guint64 flags;
  Addr pidfd, child_tid, parent_tid;
  Addr flags_at; /* clone3: where the flags are in memory  */
} CloneWish;

static gboolean
read_wish (Thread *t, CloneWish *wish, GError **error)
{
  const guint64 *args = t->call.args;
  guint64 words[11] = { 0 };

  memset (wish, 0, sizeof *wish);
  switch (t->call.nr)
    {
    case SYS_clone:
      wish->flags = args[0];
      wish->parent_tid = wish->pidfd = args[2];
      wish->child_tid = args[3];
      return TRUE;
    case SYS_clone3:
      if (!task_read (&t->task, args[0], words, MIN (args[1], sizeof words), error))
        return FALSE;
      wish->flags = words[0];
      wish->pidfd = words[1];
      wish->child_tid = words[2];
      wish->parent_tid = words[3];
      wish->flags_at = args[0];
      return TRUE;
    case SYS_vfork:
      wish->flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
      return TRUE;
    default:
      wish->flags = SIGCHLD;
      return TRUE;
    }
}

/* ---- Entry ---- */

static gboolean
enter_clone (Recorder *r, Thread *t, gboolean *again_ret, GError **error)
{
  CloneWish wish;

  *again_ret = FALSE;
  if (!read_wish (t, &wish, error))
    {
      g_clear_error (error); /* EFAULT will say it  */
      return TRUE;
    }
  if ((wish.flags & CLONE_VM) == 0 || (wish.flags & CLONE_THREAD) != 0)
    return TRUE;
  if ((wish.flags & CLONE_VFORK) == 0)
    return error_set (error, RETRO_ERROR_UNSUPPORTED,
                      "cannot record %s of a process that shares its parent's memory, at 0x%llx (if that is "
                      "LeakSanitizer: ASAN_OPTIONS=detect_leaks=0)",
                      sys_name (t->call.nr), (unsigned long long) t->entry_regs.rip - 2);
  if (!vfork_prepare (r, t, again_ret, error) || *again_ret)
    return *again_ret;
  guint64 flags = wish.flags & ~(guint64) (CLONE_VM | CLONE_SIGHAND);
  if (wish.flags_at != 0)
    return task_write (&t->task, wish.flags_at, &flags, sizeof flags, error);
  t->call.changed = TRUE;
  if (t->call.nr == SYS_vfork)
    {
      t->call.call_nr = SYS_clone;
      memset (t->call.call_args, 0, sizeof t->call.call_args);
    }
  t->call.call_args[0] = flags;
  return TRUE;
}

/* Addresses of the futex words that the kernel may write when T exits.  */
static void
note_exit_words (Thread *t)
{
  Addr head = 0;
  gsize length = 0;
  guint64 list[3];

  if (t->exit_words == NULL)
    t->exit_words = g_array_new (FALSE, FALSE, sizeof (Addr));
  g_array_set_size (t->exit_words, 0);
  if (t->clear_tid != 0)
    g_array_append_val (t->exit_words, t->clear_tid);
  if (syscall (SYS_get_robust_list, t->task.tid, &head, &length) != 0 || head == 0
      || task_read_some (&t->task, head, list, sizeof list) != sizeof list)
    return;
  if (list[2] != 0)
    {
      Addr word = (list[2] & ~1ull) + list[1];

      g_array_append_val (t->exit_words, word);
    }
  for (Addr entry = list[0] & ~1ull; entry != head && entry != 0 && t->exit_words->len < ROBUST_MAX;)
    {
      Addr word = entry + list[1];

      g_array_append_val (t->exit_words, word);
      if (task_read_some (&t->task, entry, &entry, sizeof entry) != sizeof entry)
        break;
      entry &= ~1ull;
    }
}

/* Nobody else runs until T, which exits, is gone.  */
static gboolean
await_gone (Recorder *r, Thread *t, GError **error)
{
  while (t->state == THREAD_EXITING && !r->ended && !r->ending)
    {
      pid_t tid;
      int status;

      if (!wait_next (r, t->task.tid, 0, &tid, &status, error))
        return FALSE;
      if (tid == -1)
        r->want_stop = TRUE;
      else if (tid > 0 && !recorder_dispatch (r, tid, status, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
enter_exit (Recorder *r, Thread *t, GError **error)
{
  Event *event = call_event (r, t, 0);

  event->no_return = TRUE;
  note_exit_words (t);
  if (!recorder_log (r, event, error))
    return FALSE;
  t->state = THREAD_EXITING;
  t->moved = FALSE;
  if (t->call.nr == SYS_exit_group)
    r->ending = TRUE;
  if (!thread_resume (r, t, PTRACE_SYSCALL, 0, error))
    return FALSE;
  return r->ending || await_gone (r, t, error);
}

gboolean
process_call_entered (Recorder *r, Thread *t, GError **error)
{
  gboolean again;

  switch (t->call.nr)
    {
    case SYS_exit:
    case SYS_exit_group:
      return enter_exit (r, t, error);
    case SYS_clone:
    case SYS_clone3:
    case SYS_vfork:
      if (!enter_clone (r, t, &again, error) || again)
        return again;
      break;
    case SYS_set_tid_address:
      t->clear_tid = t->call.args[0];
      break;
    case SYS_sched_setaffinity:
      affinity_set (r, t);
      break;
    }
  if ((t->call.changed || t->call.answered) && !call_set (t, error))
    return FALSE;
  t->new_thread = NULL;
  t->call.blocks = FALSE;
  return thread_resume (r, t, PTRACE_SYSCALL, 0, error) && call_await (r, t, error);
}

/* ---- Exit of such a call ---- */

static void
add_word (Thread *t, Event *event, Addr addr, gsize size)
{
  guint8 word[8];

  if (addr != 0 && task_read_some (&t->task, addr, word, size) == size)
    event_add_write (event, addr, word, size);
}

/* EVENT is the end of T's clone: does the debugger want to know
   of the child?  */
static void
report_child (Recorder *r, const Thread *t, const Event *event)
{
  guint report = r->request != NULL ? r->request->report : 0;
  gboolean is_vfork;

  if (event->new_thread != NO_THREAD)
    {
      if ((report & SESSION_REPORT_CLONE) == 0)
        return;
      recorder_stop (r, LIVE_CLONE, t);
      r->stop->new_thread = event->new_thread;
    }
  else if (event_makes_process (event, &is_vfork)
           && (report & (is_vfork ? SESSION_REPORT_VFORK : SESSION_REPORT_FORK)) != 0)
    {
      recorder_stop (r, is_vfork ? LIVE_VFORK : LIVE_FORK, t);
      r->stop->pid = (pid_t) event->result;
    }
}

static gboolean
left_clone (Recorder *r, Thread *t, const Regs *regs, GError **error)
{
  CloneWish wish;
  Event *event = call_event (r, t, (gint64) regs->rax);
  guint64 vm = 0;

  if (!read_wish (t, &wish, error))
    g_clear_error (error);
  if (t->vfork_writes != NULL)
    {
      event->writes = g_steal_pointer (&t->vfork_writes);
      vm = CLONE_VM;
    }
  if (wish.flags_at != 0 && vm != 0)
    {
      wish.flags |= vm;
      if (!task_write (&t->task, wish.flags_at, &wish.flags, sizeof wish.flags, error))
        return FALSE;
    }
  if ((gint64) regs->rax >= 0)
    {
      if ((wish.flags & CLONE_PARENT_SETTID) != 0)
        add_word (t, event, wish.parent_tid, 4);
      if ((wish.flags & CLONE_PIDFD) != 0)
        add_word (t, event, wish.pidfd, 4);
      if ((wish.flags & (CLONE_CHILD_SETTID | CLONE_THREAD)) == (CLONE_CHILD_SETTID | CLONE_THREAD))
        add_word (t, event, wish.child_tid, 4);
    }
  if (t->new_thread != NULL)
    {
      Thread *n = t->new_thread;
      Regs child;

      if (!task_get_regs (&n->task, &child, error))
        return FALSE;
      event->new_thread = n->no;
      event->new_tid = n->task.tid;
      event->new_sp = child.rsp;
      event->new_has_fs = TRUE;
      event->new_fs = child.fs_base;
      if ((wish.flags & CLONE_CHILD_CLEARTID) != 0)
        n->clear_tid = wish.child_tid;
      n->state = THREAD_READY;
      thread_at_event (n, &child);
      t->new_thread = NULL;
    }
  report_child (r, t, event);
  if (!recorder_log (r, event, error))
    return FALSE;
  t->entered = t->shown_entry = FALSE;
  t->state = THREAD_READY;
  thread_at_event (t, regs);
  return TRUE;
}

static gboolean
left_exec (Recorder *r, Thread *t, GError **error)
{
  Event *event = call_event (r, t, 0);

  event->no_return = TRUE;
  if (!recorder_log (r, event, error) || !spawn_image (r, t, error))
    return FALSE;
  t->entered = t->shown_entry = FALSE;
  t->exec_done = FALSE;
  t->state = THREAD_READY;
  if (r->request != NULL && (r->request->report & SESSION_REPORT_EXEC) != 0)
    recorder_stop (r, LIVE_EXEC, t);
  return TRUE;
}

/* rt_sigreturn: everything comes back from the frame.  */
static gboolean
left_sigreturn (Recorder *r, Thread *t, const Regs *regs, GError **error)
{
  Event *event = call_event (r, t, 0);

  event->has_regs = TRUE;
  event->regs = *regs;
  event->xstate = task_get_xstate (&t->task, error);
  if (event->xstate == NULL || !recorder_log (r, event, error))
    return FALSE;
  t->entered = t->shown_entry = FALSE;
  t->state = THREAD_READY;
  thread_at_event (t, regs);
  t->from_handler = TRUE;
  return TRUE;
}

gboolean
process_call_left (Recorder *r, Thread *t, gboolean *done_ret, GError **error)
{
  Regs regs;

  *done_ret = TRUE;
  if (!task_get_regs (&t->task, &regs, error))
    return FALSE;
  switch (t->call.nr)
    {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
      return left_clone (r, t, &regs, error);
    case SYS_execve:
    case SYS_execveat:
      if (t->exec_done)
        return left_exec (r, t, error);
      break;
    case SYS_rt_sigreturn:
      return left_sigreturn (r, t, &regs, error);
    case SYS_sched_getaffinity:
      return affinity_left_get (r, t, &regs, error);
    }
  *done_ret = FALSE;
  return TRUE;
}

/* ---- Events ---- */

gboolean
process_release_child (Recorder *r, const Thread *maker, pid_t pid, GError **error)
{
  Task child = TASK_INIT;

  if (!task_init (&child, pid, error))
    return FALSE;
  child.syscall_insn = r->current->task.syscall_insn;
  gboolean ok = live_clean (r, &child, error) && trapped_set (&child, FALSE, log_header (r->log)->traps_cpuid, error);
  if (ok)
    {
      sched_setaffinity (pid, sizeof maker->affinity, &maker->affinity);
      if (ptrace (PTRACE_DETACH, pid, 0, 0) != 0 && errno != ESRCH)
        ok = error_set_errno (error, "cannot let child %d go", pid);
    }
  else if (g_error_matches (*error, RETRO_ERROR, RETRO_ERROR_GONE))
    {
      g_clear_error (error);
      ok = TRUE;
    }
  task_clear (&child);
  return ok;
}

/* Wait for the first stop of the new task TID.  */
static gboolean
await_birth (Recorder *r, pid_t tid, GError **error)
{
  Task task = { .tid = tid, .mem_fd = -1 };
  int status;

  return g_hash_table_remove (r->early, GINT_TO_POINTER (tid)) || task_wait (&task, &status, error);
}

static gboolean
new_task (Recorder *r, Thread *t, GError **error)
{
  unsigned long message = 0;
  CloneWish wish;

  if (ptrace (PTRACE_GETEVENTMSG, t->task.tid, 0, &message) != 0)
    return error_set_errno (error, "cannot learn of a new task");
  pid_t tid = (pid_t) message;
  if (!read_wish (t, &wish, error) || !await_birth (r, tid, error))
    return FALSE;
  if ((wish.flags & CLONE_THREAD) != 0)
    {
      t->new_thread = recorder_add_thread (r, tid, error);
      if (t->new_thread == NULL)
        return FALSE;
      t->new_thread->affinity = t->affinity;
      t->new_thread->state = THREAD_IN_CALL; /* until the call is logged  */
      return thread_resume (r, t, PTRACE_SYSCALL, 0, error);
    }
  gboolean shares = t->call.nr == SYS_vfork || (t->call.nr == SYS_clone && (t->call.args[0] & CLONE_VM) != 0)
                    || (t->call.nr == SYS_clone3 && (wish.flags & CLONE_VFORK) != 0);
  if (shares)
    {
      t->vfork_writes = g_array_new (FALSE, TRUE, sizeof (MemWrite));
      if (!vfork_run_child (r, t, tid, t->vfork_writes, error))
        return FALSE;
    }
  else if (!process_release_child (r, t, tid, error))
    return FALSE;
  return thread_resume (r, t, PTRACE_SYSCALL, 0, error);
}

/* The exec of some thread succeeded: it is the only one left, and the
   leader now.  */
static gboolean
new_program (Recorder *r, Thread *leader, GError **error)
{
  unsigned long message = 0;
  Thread *t = leader;

  if (ptrace (PTRACE_GETEVENTMSG, r->pid, 0, &message) == 0 && recorder_find_thread (r, (pid_t) message) != NULL)
    t = recorder_find_thread (r, (pid_t) message);
  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *other = r->threads->pdata[i];

      if (other != t && other->state != THREAD_GONE)
        recorder_drop_thread (r, other);
    }
  g_hash_table_remove_all (r->by_tid);
  task_clear (&t->task);
  if (!task_init (&t->task, r->pid, error))
    return FALSE;
  g_hash_table_insert (r->by_tid, GINT_TO_POINTER (r->pid), t);
  t->is_leader = TRUE;
  t->clear_tid = 0;
  t->exec_done = TRUE;
  r->current = t;
  live_clear (r);
  return thread_resume (r, t, PTRACE_SYSCALL, 0, error);
}

static gboolean
log_thread_exit (Recorder *r, Thread *t, GError **error)
{
  Event *event = recorder_event (r, EV_THREAD_EXIT, t);

  for (guint i = 0; t->exit_words != NULL && i < t->exit_words->len; i++)
    add_word (t, event, g_array_index (t->exit_words, Addr, i), 4);
  if (r->request != NULL && (r->request->report & SESSION_REPORT_EXIT) != 0)
    recorder_stop (r, LIVE_THREAD_EXIT, t);
  return recorder_log (r, event, error);
}

/* Is the leader, which has exited before its threads, a zombie by now?  */
static void
await_zombie (const Recorder *r)
{
  char path[64];

  g_snprintf (path, sizeof path, "/proc/%d/task/%d/stat", r->pid, r->pid);
  for (;;)
    {
      g_autofree char *text = NULL;
      const char *end;

      if (!g_file_get_contents (path, &text, NULL, NULL) || (end = strrchr (text, ')')) == NULL || end[2] == 'Z'
          || end[2] == 'X')
        return;
      sched_yield ();
    }
}

/* Is a thread in the exec call, which ends all others?  */
static gboolean
exec_under_way (const Recorder *r)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      const Thread *t = r->threads->pdata[i];

      if (t->state == THREAD_IN_CALL && t->in_syscall && (t->call.nr == SYS_execve || t->call.nr == SYS_execveat))
        return TRUE;
    }
  return FALSE;
}

/* T is about to exit: nobody else runs until it has.  */
static gboolean
exiting (Recorder *r, Thread *t, GError **error)
{
  int status;

  t->state = THREAD_EXITING;
  if (!thread_resume (r, t, PTRACE_CONT, 0, error))
    return FALSE;
  if (r->ending || exec_under_way (r))
    return TRUE;
  if (t->is_leader)
    {
      await_zombie (r);
      /* Was it the last one, or has the process been killed?  */
      if (wait_poll (t->task.tid, &status) == t->task.tid)
        return recorder_dispatch (r, t->task.tid, status, error);
      t->state = THREAD_GONE;
      return log_thread_exit (r, t, error);
    }
  return await_gone (r, t, error);
}

gboolean
process_event (Recorder *r, Thread *t, int event, GError **error)
{
  switch (event)
    {
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
      return new_task (r, t, error);
    case PTRACE_EVENT_EXEC:
      return new_program (r, t, error);
    case PTRACE_EVENT_EXIT:
      return exiting (r, t, error);
    default:
      return thread_resume (r, t, PTRACE_SYSCALL, 0, error);
    }
}

static gboolean
log_end (Recorder *r, int status, GError **error)
{
  Thread *t = r->current;
  Event *event = event_new (EV_END, t != NULL ? t->no : 0);

  r->ended = TRUE;
  r->status = status;
  event->result = status;
  return recorder_log (r, event, error);
}

gboolean
process_gone (Recorder *r, pid_t tid, int status, GError **error)
{
  Thread *t = recorder_find_thread (r, tid);
  gboolean ok = TRUE;

  if (t == NULL && tid != r->pid)
    return TRUE;
  if (WIFSIGNALED (status))
    r->ending = TRUE;
  if (t != NULL && tid != r->pid)
    {
      if (!r->ending && !exec_under_way (r))
        ok = log_thread_exit (r, t, error);
      recorder_drop_thread (r, t);
      return ok;
    }
  if (t != NULL)
    recorder_drop_thread (r, t);
  return log_end (r, status, error);
}
