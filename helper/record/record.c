/* The recorder's main loop: who runs next, and what each stop means.

   At most one thread runs user code.  recorder_run repeats run_once: choose
   a ready thread, let it run, wait for a stop of any task, handle it.
   Threads that sleep in a call stop on their own when it ends; they are
   made ready there and run when chosen.

   The place of EXIT events: a call that ends while another thread computes
   is logged at once, before the running thread's next event.  What the
   kernel wrote then appears, in the replay, at the beginning of the
   stretch during which it was written; only a program that reads a buffer
   while the kernel fills it can tell, and the checks tell us.  */

#include "record/internal.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Without --check's budget digests would take more time than the program.  */
#define CHECK_SHARE 2      /* at most half of the run  */
#define CHECK_FREE_USEC 200000
#define KILLED_USEC 1000000
#define SETTLE_TURNS 200   /* a call that takes long is not waited for  */

static void
thread_free (gpointer data)
{
  Thread *t = data;

  sys_call_clear (&t->call);
  task_clear (&t->task);
  g_clear_pointer (&t->arrivals, g_hash_table_unref);
  g_clear_pointer (&t->exit_words, g_array_unref);
  g_clear_pointer (&t->vfork_writes, g_array_unref);
  g_clear_pointer (&t->entry_xstate, g_bytes_unref);
  if (t->vfork_base.tid != 0)
    task_kill (&t->vfork_base);
  g_free (t);
}

Recorder *
recorder_new (Log *log, const RecordOptions *options, GError **error)
{
  Recorder *r = g_new0 (Recorder, 1);

  r->log = log;
  r->options = *options;
  r->threads = g_ptr_array_new_with_free_func (thread_free);
  r->by_tid = g_hash_table_new (NULL, NULL);
  r->early = g_hash_table_new (NULL, NULL);
  r->space = space_new ();
  space_set_files (r->space, log_dir (r->log));
  r->sys = sys_state_new ();
  r->rand = options->seed != 0 ? g_rand_new_with_seed (options->seed) : NULL;
  r->signal_fd = -1;
  if (!wait_init (r, error))
    {
      recorder_free (r);
      return NULL;
    }
  return r;
}

void
recorder_free (Recorder *r)
{
  if (r == NULL)
    return;
  if (r->pid > 0 && !r->ended)
    {
      int status;

      kill (r->pid, SIGKILL);
      /* Threads first, the leader is reaped last.  */
      for (guint i = 0; i < r->threads->len; i++)
        {
          Thread *t = r->threads->pdata[i];

          if (t->state != THREAD_GONE && t->task.tid != r->pid)
            while (waitpid (t->task.tid, &status, __WALL) == t->task.tid && WIFSTOPPED (status))
              ptrace (PTRACE_CONT, t->task.tid, 0, 0);
        }
      while (waitpid (r->pid, &status, __WALL) == r->pid && WIFSTOPPED (status))
        ptrace (PTRACE_CONT, r->pid, 0, 0);
    }
  live_clear (r);
  wait_clear (r);
  g_ptr_array_unref (r->threads);
  g_hash_table_unref (r->by_tid);
  g_hash_table_unref (r->early);
  g_clear_pointer (&r->patches, g_array_unref);
  space_free (r->space);
  sys_state_free (r->sys);
  if (r->rand != NULL)
    g_rand_free (r->rand);
  g_free (r);
}

pid_t
recorder_pid (const Recorder *r)
{
  return r->pid;
}

gboolean
recorder_has_ended (const Recorder *r)
{
  return r->ended;
}

/* ---- Threads ---- */

Thread *
recorder_add_thread (Recorder *r, pid_t tid, GError **error)
{
  Thread *t = g_new0 (Thread, 1);

  t->no = r->threads->len;
  t->state = THREAD_READY;
  t->is_leader = tid == r->pid;
  t->task = t->vfork_base = (Task) TASK_INIT;
  t->affinity = r->affinity;
  g_ptr_array_add (r->threads, t);
  if (!task_init (&t->task, tid, error))
    return NULL;
  if (r->current != NULL)
    t->task.syscall_insn = r->current->task.syscall_insn;
  g_hash_table_insert (r->by_tid, GINT_TO_POINTER (tid), t);
  return t;
}

Thread *
recorder_find_thread (const Recorder *r, pid_t tid)
{
  return g_hash_table_lookup (r->by_tid, GINT_TO_POINTER (tid));
}

void
recorder_drop_thread (Recorder *r, Thread *t)
{
  g_hash_table_remove (r->by_tid, GINT_TO_POINTER (t->task.tid));
  t->state = THREAD_GONE;
  task_clear (&t->task);
}

static gboolean
can_run (const Recorder *r, const Thread *t)
{
  return t->state == THREAD_READY && !r->ending
         && (!r->request->locked || r->request->signal_thread == t->no);
}

gboolean
recorder_other_ready (const Recorder *r, const Thread *t)
{
  for (guint i = 0; i < r->threads->len; i++)
    if (r->threads->pdata[i] != t && can_run (r, r->threads->pdata[i]))
      return TRUE;
  return FALSE;
}

gboolean
thread_resume (Recorder *r, Thread *t, int request, int sig, GError **error)
{
  (void) r;
  if (!task_resume (&t->task, request, sig, error))
    {
      /* Killed from outside while it was stopped: its end will be reported.  */
      if (error != NULL && g_error_matches (*error, RETRO_ERROR, RETRO_ERROR_GONE))
        g_clear_error (error);
      else
        return FALSE;
    }
  return TRUE;
}

void
thread_at_event (Thread *t, const Regs *regs)
{
  t->moved = FALSE;
  t->from_handler = FALSE;
  t->last_regs = *regs;
  if (t->arrivals != NULL)
    g_hash_table_remove_all (t->arrivals);
  t->only_stepped = FALSE;
}

/* ---- Events ---- */

/* How long the program has run: stops, and what a debugger does then, take no
   time.  */
static guint64
run_time (const Recorder *r)
{
  return r->ran_usec + (r->request != NULL ? now_usec () - r->run_start : 0);
}

static gboolean
append (Recorder *r, Event *event, GError **error)
{
  event->time = run_time (r);
  if (event->kind == EV_IMAGE)
    {
      space_free (r->space);
      r->space = space_new ();
      space_set_files (r->space, log_dir (r->log));
    }
  for (guint i = 0; event->ops != NULL && i < event->ops->len; i++)
    if (!space_apply (r->space, &g_array_index (event->ops, MapOp, i), error))
      {
        event_free (event);
        return FALSE;
      }
  return log_append (r->log, event, error);
}

/* The current thread may be in a call that nobody had to know of so far; THREAD
   goes first now.  */
static gboolean
log_sleeper (Recorder *r, ThreadNo thread, GError **error)
{
  Thread *unlogged = r->current;

  return unlogged == NULL || unlogged->no == thread || unlogged->state != THREAD_IN_CALL
         || (unlogged->entered && !unlogged->shown_entry) || call_log_enter (r, unlogged, error);
}

gboolean
recorder_log (Recorder *r, Event *event, GError **error)
{
  if (event->kind != EV_END && !log_sleeper (r, event->thread, error))
    {
      event_free (event);
      return FALSE;
    }
  live_note_event (r, event);
  return append (r, event, error);
}

Event *
recorder_event (Recorder *r, EventKind kind, const Thread *t)
{
  (void) r;
  return event_new (kind, t->no);
}

gboolean
recorder_point (Recorder *r, Thread *t, PointWhy why, GError **error)
{
  /* In front of a call that was shown it is, for the log, inside.  */
  if (t->shown_entry)
    t->moved = FALSE;
  if (!t->moved)
    return TRUE;
  /* Its hashes are of the program's memory, not of our breakpoints.  */
  if (!live_clean (r, &t->task, error))
    return FALSE;
  PointId *point = point_describe (&t->task, r->space, why, error);
  if (point == NULL || !live_dirty (r, &t->task, error))
    {
      g_free (point);
      return FALSE;
    }
  point->arrivals = live_arrivals (r, t, point->regs.rip);
  Event *event = recorder_event (r, EV_POINT, t);
  event->point = point;
  Regs regs = point->regs;
  if (!recorder_log (r, event, error))
    return FALSE;
  thread_at_event (t, &regs);
  return TRUE;
}

void
recorder_stop (Recorder *r, LiveStopKind kind, const Thread *t)
{
  r->stopped = TRUE;
  r->stop->kind = kind;
  r->stop->thread = t != NULL ? t->no : NO_THREAD;
}

/* ---- Stops ---- */

static gboolean
handle_event_stop (Recorder *r, Thread *t, int signo, GError **error)
{
  if (signo == SIGTRAP)
    {
      /* The answer to an interruption, or the end of a group stop.  */
      gboolean in_call = t->in_syscall || t->interrupted;

      t->group_stopped = FALSE;
      if (in_call)
        return thread_resume (r, t, PTRACE_SYSCALL, 0, error);
      t->state = THREAD_READY;
      return TRUE;
    }
  return signal_group_stop (r, t, signo, error);
}

gboolean
recorder_dispatch (Recorder *r, pid_t tid, int status, GError **error)
{
  Thread *t = recorder_find_thread (r, tid);
  int event = status >> 16;
  gboolean mine = FALSE;

  if (r->reinsert && t != NULL && WIFSTOPPED (status))
    {
      r->reinsert = FALSE;
      live_dirty (r, &t->task, NULL);
    }
  if (!WIFSTOPPED (status))
    return process_gone (r, tid, status, error);
  if (t == NULL)
    {
      /* A new task may stop before its maker tells of it.  */
      g_hash_table_add (r->early, GINT_TO_POINTER (tid));
      return TRUE;
    }
  if (t->graced != 0 && !signal_grace_over (t, error))
    return FALSE;
  int signo = WSTOPSIG (status);
  if (event == PTRACE_EVENT_STOP)
    return handle_event_stop (r, t, signo, error);
  if (event != 0)
    return process_event (r, t, event, error);
  if (signo == (SIGTRAP | 0x80))
    return t->in_syscall ? call_left (r, t, error) : call_entered (r, t, error);
  if (signo == SIGTRAP && !live_trapped (r, t, &mine, error))
    return FALSE;
  return mine ? TRUE : signal_stopped (r, t, signo, error);
}

/* ---- Who runs ---- */

/* Any ready thread but the current one, or only of those that have not run in
   this round.  */
static Thread *
choose_any (Recorder *r, gboolean new_in_round)
{
  Thread *chosen = NULL;
  gint32 n = 0;

  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];

      if (t != r->current && can_run (r, t) && !(new_in_round && t->round == r->round)
          && g_rand_int_range (r->rand, 0, ++n) == 0)
        chosen = t;
    }
  return chosen;
}

/* With a seed the order is random, but as fair as a kernel's: a thread that
   wakes up waits for one slice of each of the others at most.  */
static Thread *
choose_random (Recorder *r)
{
  Thread *t = choose_any (r, TRUE);

  if (t == NULL && (t = choose_any (r, FALSE)) != NULL)
    r->round++;
  if (t != NULL)
    t->round = r->round;
  return t;
}

static Thread *
choose_next (Recorder *r)
{
  guint n = r->threads->len;

  for (guint i = 1; i <= n; i++)
    {
      Thread *t = r->threads->pdata[((r->current != NULL ? r->current->no : 0) + i) % n];

      if (t != r->current && can_run (r, t))
        return t;
    }
  return NULL;
}

static Thread *
choose (Recorder *r)
{
  Thread *current = r->current;
  gboolean current_ok
      = current != NULL && (current->state == THREAD_RUNNING || can_run (r, current));

  /* What a thread has done since its last event must be in the log before
     another runs: a signal has stopped it, whose event comes next.  */
  if (current != NULL
      && (current->state == THREAD_RUNNING || (current->state == THREAD_READY && current->moved && !r->ending)))
    return current;
  if (current_ok && now_usec () < r->slice_end && !(r->rand != NULL && g_rand_int_range (r->rand, 0, 8) == 0))
    return current;
  Thread *other = r->rand != NULL ? choose_random (r) : choose_next (r);
  if (other != NULL)
    return other;
  return current_ok ? current : NULL;
}

static void
new_slice (Recorder *r)
{
  guint64 slice = r->options.slice_usec;

  if (r->rand != NULL) /* jitter: half to one and a half  */
    slice = slice / 2 + (guint64) g_rand_int_range (r->rand, 0, (gint32) MAX (slice, 1));
  r->slice_end = now_usec () + slice;
}

/* Stop the running thread T, which may stop by itself for another reason.  */
static gboolean
halt (Recorder *r, Thread *t, GError **error)
{
  while (t->state == THREAD_RUNNING && !r->stopped && !r->ended)
    {
      pid_t tid;
      int status;

      /* It shares our CPU: either it has stopped by now or it will not before
         we wait, so no stale interruption is left behind.  */
      if (wait_poll (t->task.tid, &status) == t->task.tid)
        {
          if (!recorder_dispatch (r, t->task.tid, status, error))
            return FALSE;
          continue;
        }
      if (ptrace (PTRACE_INTERRUPT, t->task.tid, 0, 0) != 0 && errno != ESRCH)
        return error_set_errno (error, "cannot interrupt task %d", t->task.tid);
      if (!wait_next (r, t->task.tid, 0, &tid, &status, error))
        return FALSE;
      if (tid == -1)
        {
          r->want_stop = TRUE;
          continue;
        }
      gboolean interrupted = WIFSTOPPED (status) && status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG (status) == SIGTRAP;
      if (!recorder_dispatch (r, tid, status, error))
        return FALSE;
      if (interrupted)
        break;
    }
  return TRUE;
}

/* Handle whatever else has stopped by now, without waiting.  */
static gboolean
drain (Recorder *r, GError **error)
{
  pid_t tid;
  int status;

  while (!r->stopped && !r->ended && (tid = wait_poll (0, &status)) > 0)
    if (!recorder_dispatch (r, tid, status, error))
      return FALSE;
  return TRUE;
}

/* The same, and wait for calls that have woken up: what one of them writes is
   in memory before its end is told, and would be taken for what was there.  */
static gboolean
settle (Recorder *r, GError **error)
{
  for (guint i = 0; i < SETTLE_TURNS; i++)
    if (!drain (r, error))
      return FALSE;
    else if (r->stopped || r->ended || !wait_while_busy (r))
      break;
  return TRUE;
}

/* The slice of T, which runs, is over, or the user wants to stop.  */
static gboolean
preempt (Recorder *r, Thread *t, GError **error)
{
  if (!halt (r, t, error) || !settle (r, error))
    return FALSE;
  if (t->state != THREAD_READY || r->stopped || r->ended || t->signo != 0)
    return TRUE;
  if (r->want_stop)
    return TRUE;
  return recorder_point (r, t, POINT_PREEMPT, error);
}

/* Is there a thread to show?  There is none when all that is left of the
   program is to be reaped.  */
static gboolean
can_stop (const Recorder *r)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      const Thread *t = r->threads->pdata[i];

      if (t->state == THREAD_READY || t->state == THREAD_IN_CALL)
        return TRUE;
    }
  return FALSE;
}

/* The program stops: where T is must be in the log.  */
static gboolean
log_place (Recorder *r, Thread *t, GError **error)
{
  if (t->state == THREAD_READY)
    return recorder_point (r, t, POINT_STOP, error);
  return t->state != THREAD_IN_CALL || (t->entered && !t->shown_entry) || call_log_enter (r, t, error);
}

/* The user wants to stop: nobody runs now.  */
static gboolean
stop_for_user (Recorder *r, GError **error)
{
  Thread *t = r->current;

  r->want_stop = FALSE;
  if (t != NULL && !log_place (r, t, error))
    return FALSE;
  recorder_stop (r, LIVE_INTERRUPT, t);
  return TRUE;
}

/* The event of another thread has stopped the program while the current one
   computes on.  A stop of its own that it comes to now is told when it goes
   on.  */
static gboolean
stop_running (Recorder *r, GError **error)
{
  const LiveStop stop = *r->stop;
  Thread *t = r->current;

  if (t == NULL || t->state != THREAD_RUNNING)
    return TRUE;
  r->stopped = FALSE;
  if (!halt (r, t, error))
    return FALSE;
  if (r->stopped)
    t->reported_pc = 0;
  else if (!r->ended && !log_place (r, t, error))
    return FALSE;
  r->stopped = TRUE;
  *r->stop = stop;
  return TRUE;
}

/* Does some thread sleep in a call that fills its buffer bit by bit?  What
   is there so far belongs to no event yet.  */
static gboolean
half_filled (const Recorder *r)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      const Thread *t = r->threads->pdata[i];

      if (t->state == THREAD_IN_CALL
          && (t->call.nr == SYS_recvmmsg || (t->call.nr == SYS_recvfrom && (t->call.args[3] & MSG_WAITALL) != 0)
              || (t->call.nr == SYS_recvmsg && (t->call.args[2] & MSG_WAITALL) != 0)))
        return TRUE;
    }
  return FALSE;
}

gboolean
recorder_check (Recorder *r, const Thread *t, GError **error)
{
  guint64 now = now_usec ();

  if (!r->options.check || r->has_vfork || half_filled (r)
      || (r->check_usec > CHECK_FREE_USEC && r->check_usec * CHECK_SHARE > run_time (r)))
    return TRUE;
  Event *event = recorder_event (r, EV_MEMORY, t);
  event->has_digest = TRUE;
  if (!live_clean (r, &t->task, error) || !space_digest (r->space, &t->task, &event->digest, error)
      || !live_dirty (r, &t->task, error))
    {
      event_free (event);
      return FALSE;
    }
  r->check_usec += now_usec () - now;
  /* Another process may have woken one meanwhile.  */
  if (!wait_while_busy (r))
    return recorder_log (r, event, error);
  event_free (event);
  return TRUE;
}

gboolean
recorder_other_moved (const Recorder *r, const Thread *t)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      const Thread *other = r->threads->pdata[i];

      if (other != t && (other->state == THREAD_RUNNING || (other->state == THREAD_READY && other->moved)))
        return TRUE;
    }
  return FALSE;
}

gboolean
recorder_look (Recorder *r, const Thread *t, Event *event, GError **error)
{
  SysLook look = r->look;

  if (look == SYS_LOOK_NOT)
    return TRUE;
  r->look = SYS_LOOK_NOT;
  if (event != NULL)
    {
      sys_look_at_shared (r->sys, r->space, &t->task, look, event);
      return TRUE;
    }
  event = recorder_event (r, EV_MEMORY, t);
  sys_look_at_shared (r->sys, r->space, &t->task, look, event);
  if (event->writes != NULL && event->writes->len > 0)
    return recorder_log (r, event, error);
  event_free (event);
  return TRUE;
}

/* Let T run user code: from a stop.  *STATUS_RET != 0: it has stopped
   already.  */
static gboolean
start (Recorder *r, Thread *t, int *status_ret, GError **error)
{
  int request = PTRACE_SYSCALL;

  *status_ret = 0;
  if (r->look != SYS_LOOK_NOT && !t->moved && !recorder_other_moved (r, t) && !recorder_look (r, t, NULL, error))
    return FALSE;
  if (t != r->current)
    {
      /* A stop that was no end of its call may have kept it from the log.  */
      if (!log_sleeper (r, t->no, error))
        return FALSE;
      r->current = t;
      new_slice (r);
    }
  else if (now_usec () >= r->slice_end)
    new_slice (r);
  if (t->signo != 0)
    return signal_deliver (r, t, error);
  if (!live_prepare (r, t, &request, status_ret, error))
    return FALSE;
  if (*status_ret != 0 || r->stopped)
    return TRUE;
  if (!signal_grace (t, error))
    return FALSE;
  t->state = THREAD_RUNNING;
  t->moved = TRUE;
  return thread_resume (r, t, request, 0, error);
}

static gboolean
run_once (Recorder *r, EventNo *checked, GError **error)
{
  Thread *t = choose (r);
  int status = 0;
  pid_t tid = 0;

  if (r->want_stop && (t == NULL || t->state != THREAD_RUNNING) && can_stop (r))
    return stop_for_user (r, error);
  if (r->request->max_usec != 0 && now_usec () - r->run_start > r->request->max_usec && t != NULL
      && t->state == THREAD_READY && !t->moved && t->signo == 0)
    {
      recorder_stop (r, LIVE_EVENTS, t);
      return TRUE;
    }
  if (t != NULL && t->state == THREAD_READY)
    {
      if (log_length (r->log) != *checked && r->options.check && !t->moved && t->signo == 0)
        {
          if (!settle (r, error) || r->stopped || r->ended)
            return !r->stopped && !r->ended ? FALSE : TRUE;
          if (t->state != THREAD_READY || t->signo != 0)
            return TRUE;
          if (!recorder_check (r, t, error))
            return FALSE;
          *checked = log_length (r->log);
        }
      if (!start (r, t, &status, error))
        return FALSE;
      tid = t->task.tid;
      if (status == 0 && t->state != THREAD_RUNNING)
        return TRUE; /* a signal was delivered, or the thread is gone  */
    }
  if (status == 0)
    {
      guint64 until = t != NULL && recorder_other_ready (r, t) ? r->slice_end : 0;

      if (t != NULL && t->graced != 0)
        until = until != 0 ? MIN (until, t->graced) : t->graced;

      if (!wait_next (r, 0, until, &tid, &status, error))
        return FALSE;
    }
  if (tid == -1)
    r->want_stop = TRUE;
  if (tid <= 0)
    return t == NULL || t->state != THREAD_RUNNING ? TRUE : preempt (r, t, error);
  return recorder_dispatch (r, tid, status, error);
}

/* FAILURE came up in a run.  If a task was gone the program may have been
   killed in the middle of what we did: then its end is on its way.  */
static gboolean
was_killed (Recorder *r, const GError *failure)
{
  guint64 until = now_usec () + KILLED_USEC;

  if (!g_error_matches (failure, RETRO_ERROR, RETRO_ERROR_GONE))
    return FALSE;
  while (!r->ended && now_usec () < until)
    {
      pid_t tid;
      int status;

      if (!wait_next (r, 0, until, &tid, &status, NULL))
        break;
      if (tid > 0)
        recorder_dispatch (r, tid, status, NULL);
    }
  return r->ended;
}

gboolean
recorder_run (Recorder *r, const LiveRequest *request, LiveStop *stop_ret, GError **error)
{
  EventNo checked = G_MAXUINT64;
  gboolean ok = TRUE;

  memset (stop_ret, 0, sizeof *stop_ret);
  r->request = request;
  r->stop = stop_ret;
  r->stopped = FALSE;
  r->want_stop = FALSE;
  r->run_start = now_usec ();
  if (!r->ended)
    {
      if (!signal_choose (r, error) || !live_begin (r, error) || !wake_release (r, error))
        return FALSE;
      while (ok && !r->stopped && !r->ended)
        {
          GError *failure = NULL;

          ok = run_once (r, &checked, &failure);
          if (!ok && (ok = was_killed (r, failure)))
            g_clear_error (&failure);
          if (failure != NULL)
            g_propagate_error (error, failure);
        }
      if (ok && r->stopped && !r->ended)
        ok = stop_running (r, error);
      if (ok && !r->ended)
        ok = live_end (r, error);
    }
  if (ok && r->ended)
    {
      stop_ret->kind = LIVE_END;
      stop_ret->thread = r->current != NULL ? r->current->no : 0;
      stop_ret->status = r->status;
    }
  r->ran_usec = run_time (r);
  r->request = NULL;
  r->stop = NULL;
  if (ok && !r->ended && stop_ret->kind != LIVE_EVENTS)
    ok = wake_readers (r, error);
  return ok;
}
