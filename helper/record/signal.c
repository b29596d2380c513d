/* Signals.

   A signal that no handler catches and that does nothing by default goes
   straight back to the kernel and leaves no trace in the log.  One that is
   caught, or kills, is delivered when its thread's turn comes: at the
   place where the thread is stopped (after a POINT if it has moved since
   its last event), by a single step with the signal, which stops at the
   handler's first instruction with the frame written.  Frame and registers
   are the SIGNAL event.

   A timer can fire faster than its handler can be recorded.  A thread that does
   nothing but run handlers, one right after the other, is left in peace for a
   moment now and then: its signals are blocked, behind its back.

   Faults need no POINT: the replay's own instruction faults.  rdtsc and
   cpuid trap as SIGSEGV and become events of their own kind.  */

#include "record/internal.h"

#include "base/error.h"
#include "trace/trapped.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

typedef enum
{
  FATE_CAUGHT,
  FATE_IGNORED,
  FATE_STOPS,
  FATE_KILLS
} Fate;

#define BIT(signo) (1ull << ((signo) -1))

static guint64
parse_mask (const char *text, const char *name)
{
  const char *at = strstr (text, name);

  return at != NULL ? g_ascii_strtoull (at + strlen (name), NULL, 16) : 0;
}

static Fate
signal_fate (const Recorder *r, int signo)
{
  const guint64 harmless = BIT (SIGCHLD) | BIT (SIGURG) | BIT (SIGWINCH) | BIT (SIGCONT);
  const guint64 stops = BIT (SIGSTOP) | BIT (SIGTSTP) | BIT (SIGTTIN) | BIT (SIGTTOU);
  char path[64], text[4096];
  ssize_t n = 0;

  g_snprintf (path, sizeof path, "/proc/%d/status", r->pid);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
    {
      n = read (fd, text, sizeof text - 1);
      close (fd);
    }
  text[MAX (n, 0)] = 0;
  if ((parse_mask (text, "SigCgt:") & BIT (signo)) != 0)
    return FATE_CAUGHT;
  if ((parse_mask (text, "SigIgn:") & BIT (signo)) != 0 || (harmless & BIT (signo)) != 0)
    return FATE_IGNORED;
  return (stops & BIT (signo)) != 0 ? FATE_STOPS : FATE_KILLS;
}

gboolean
signal_is_fault (int signo, const siginfo_t *info)
{
  return (signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE || signo == SIGILL || signo == SIGTRAP)
         && info->si_code > 0 && info->si_code != SI_ASYNCNL;
}

/* ---- Trapped instructions ---- */

/* T stands at one, unless *DONE_RET is FALSE.  */
static gboolean
answer_trapped (Recorder *r, Thread *t, gboolean *done_ret, GError **error)
{
  Regs regs;

  *done_ret = FALSE;
  if (!task_get_regs (&t->task, &regs, error))
    return FALSE;
  Trapped which = trapped_at (&t->task, regs.rip);
  if (which == TRAPPED_NOT || sys_wants_trap (r->sys, which == TRAPPED_CPUID))
    return TRUE;
  Event *event = recorder_event (r, EV_TSC, t);
  event->check = regs_check (&regs, FALSE);
  trapped_perform (&t->task, &regs);
  event->has_regs = TRUE;
  event->regs = regs;
  if (!task_set_regs (&t->task, &regs, error) || !recorder_log (r, event, error))
    return FALSE;
  t->state = THREAD_READY;
  thread_at_event (t, &regs);
  *done_ret = TRUE;
  return TRUE;
}

/* ---- What the debugger wants ---- */

gboolean
signal_choose (Recorder *r, GError **error)
{
  const LiveRequest *request = r->request;
  Thread *shown = r->showing, *t = shown;

  r->showing = NULL;
  if (request->signo == -1 || (shown != NULL && request->signo == shown->signo))
    return TRUE;
  if (shown != NULL)
    shown->dropped = TRUE;
  if (request->signo <= 0)
    return TRUE;
  /* Sent as anybody would, so that a blocked one waits.  */
  if (t == NULL && request->signal_thread < r->threads->len)
    t = r->threads->pdata[request->signal_thread];
  if (t == NULL || t->state == THREAD_GONE)
    t = r->current;
  t->sent = request->signo;
  return syscall (SYS_tgkill, r->pid, t->task.tid, request->signo) == 0
         || error_set_errno (error, "cannot send signal %d", request->signo);
}

/* ---- Arrival ---- */

gboolean
signal_stopped (Recorder *r, Thread *t, int signo, GError **error)
{
  siginfo_t info;
  gboolean done = FALSE;

  if (!task_get_siginfo (&t->task, &info, error))
    return g_error_matches (*error, RETRO_ERROR, RETRO_ERROR_GONE) ? (g_clear_error (error), TRUE) : FALSE;
  if (signo == SIGSEGV && info.si_code == SI_KERNEL && t->state == THREAD_RUNNING
      && (!answer_trapped (r, t, &done, error) || done))
    return done;
  gboolean sent = t->sent == signo && info.si_code == SI_TKILL && info.si_pid == getpid ();
  gboolean stops = r->request != NULL && r->request->stop_signals && !sent
                   && (r->request->pass_signals & (1ull << signo)) == 0;
  if (sent)
    t->sent = 0;
  Fate fate = signal_fate (r, signo);
  if (!stops && (fate == FATE_IGNORED || fate == FATE_STOPS) && !signal_is_fault (signo, &info))
    {
      if (fate == FATE_IGNORED && t->state == THREAD_RUNNING && (t->stepping_over || r->request->step == t->no))
        {
          /* It has come before the step was made: nobody misses it, and the
             step is made now.  */
          t->state = THREAD_READY;
          return TRUE;
        }
      return thread_resume (r, t, PTRACE_SYSCALL, signo, error);
    }
  t->signo = signo;
  t->siginfo = info;
  t->signal_shown = !stops;
  t->state = THREAD_READY;
  return TRUE;
}

/* ---- Delivery ---- */

/* End of the memory that the kernel wrote for a handler's frame at SP.  */
static Addr
frame_end (const Thread *t, Addr sp)
{
  /* return address, ucontext, siginfo; the extended state lies above.  */
  ucontext_t context;
  Addr end = sp + 8 + 936 + sizeof (siginfo_t);
  guint32 size;

  if (task_read_some (&t->task, sp + 8, &context, sizeof context) < 304)
    return end;
  Addr fp = (Addr) context.uc_mcontext.fpregs;
  if (fp < sp || fp > sp + 65536)
    return end;
  /* The software-reserved bytes tell the size with its end mark.  */
  if (task_read_some (&t->task, fp + 464 + 4, &size, sizeof size) != sizeof size || size < 512 || size > 32768)
    size = 512;
  return MAX (end, fp + size);
}

static gboolean
log_handler (Thread *t, Event *event, GError **error)
{
  Regs regs;

  if (!task_get_regs (&t->task, &regs, error))
    return FALSE;
  gsize length = frame_end (t, regs.rsp) - regs.rsp;
  g_autofree guint8 *frame = g_malloc (length);
  length = task_read_some (&t->task, regs.rsp, frame, length);
  event_add_write (event, regs.rsp, frame, length);
  event->has_regs = TRUE;
  event->regs = regs;
  event->xstate = task_get_xstate (&t->task, error);
  return event->xstate != NULL;
}

/* The registers of T as its handler's frame will show them, if a call was
   cut short: it ends with EINTR or is to be repeated; either way the frame
   in the next event decides.  */
static gboolean
end_call (Recorder *r, Thread *t, GError **error)
{
  Regs regs;

  if (!task_get_regs (&t->task, &regs, error))
    return FALSE;
  regs.rax = (guint64) -4; /* EINTR  */
  return call_finish (r, t, -4, &regs, error);
}

/* Wait for the stop after the single step that delivers the signal.  */
static gboolean
await_delivery (Recorder *r, Thread *t, int *status_ret, GError **error)
{
  pid_t tid;

  do
    {
      if (!wait_next (r, t->task.tid, 0, &tid, status_ret, error))
        return FALSE;
      if (tid == -1)
        r->want_stop = TRUE;
    }
  while (tid != t->task.tid);
  return TRUE;
}

static gboolean
deliver_to_handler (Recorder *r, Thread *t, Event *event, GError **error)
{
  int status, signo = t->signo;

  t->signo = 0;
  if (!thread_resume (r, t, PTRACE_SINGLESTEP, signo, error) || !await_delivery (r, t, &status, error))
    return FALSE;
  if (WIFSTOPPED (status) && status >> 8 == SIGTRAP)
    {
      Regs regs;

      if (!log_handler (t, event, error))
        return FALSE;
      regs = event->regs;
      if (!recorder_log (r, g_steal_pointer (&event), error))
        return FALSE;
      t->state = THREAD_READY;
      thread_at_event (t, &regs);
      return TRUE;
    }
  /* No room for the frame: the kernel kills, or sends SIGSEGV.  */
  event_free (event);
  t->state = THREAD_RUNNING;
  return recorder_dispatch (r, t->task.tid, status, error);
}

static gboolean
deliver_fatal (Recorder *r, Thread *t, Event *event, GError **error)
{
  int signo = t->signo;

  if (!recorder_log (r, event, error))
    return FALSE;
  t->signo = 0;
  t->state = THREAD_EXITING;
  r->ending = TRUE;
  return thread_resume (r, t, PTRACE_CONT, signo, error);
}

/* ---- Peace ---- */

#define STARVED_MAX 3
#define GRACE_USEC 200

gboolean
signal_grace (Thread *t, GError **error)
{
  const guint64 faults = BIT (SIGSEGV) | BIT (SIGBUS) | BIT (SIGFPE) | BIT (SIGILL) | BIT (SIGTRAP) | BIT (SIGSYS);

  if (!t->from_handler || t->moved || t->starved < STARVED_MAX)
    return TRUE;
  t->starved = 0;
  t->graced = now_usec () + GRACE_USEC;
  return task_get_mask (&t->task, &t->mask, error) && task_set_mask (&t->task, t->mask | ~faults, error);
}

gboolean
signal_grace_over (Thread *t, GError **error)
{
  t->graced = 0;
  return task_set_mask (&t->task, t->mask, error)
         || (g_error_matches (*error, RETRO_ERROR, RETRO_ERROR_GONE) && (g_clear_error (error), TRUE));
}

gboolean
signal_deliver (Recorder *r, Thread *t, GError **error)
{
  gboolean fault = signal_is_fault (t->signo, &t->siginfo) && !t->interrupted;
  Fate fate;
  Regs regs;

  if (!t->signal_shown)
    {
      /* The debugger sees it first; it comes here again after that.  */
      t->signal_shown = TRUE;
      if (!t->interrupted && !recorder_point (r, t, POINT_STOP, error))
        return FALSE;
      recorder_stop (r, LIVE_SIGNAL, t);
      r->showing = t;
      r->stop->signo = t->signo;
      r->stop->siginfo = t->siginfo;
      return TRUE;
    }
  fate = signal_fate (r, t->signo);
  if (t->dropped || fate == FATE_IGNORED || fate == FATE_STOPS)
    {
      int signo = t->dropped ? 0 : t->signo;

      t->signo = 0;
      if (t->dropped && !t->interrupted)
        {
          /* It goes on like any other.  */
          t->dropped = FALSE;
          return TRUE;
        }
      t->dropped = FALSE;
      t->state = t->interrupted ? THREAD_IN_CALL : THREAD_RUNNING;
      t->moved = TRUE;
      return thread_resume (r, t, PTRACE_SYSCALL, signo, error);
    }
  if ((t->shown_entry && !call_leave_entry (r, t, error)) || (t->interrupted && !end_call (r, t, error)))
    return FALSE;
  if (!task_get_regs (&t->task, &regs, error))
    return FALSE;
  t->starved = t->from_handler && regs.rip == t->last_regs.rip ? t->starved + 1 : 0;
  if (!fault && !recorder_point (r, t, POINT_SIGNAL, error))
    return FALSE;
  Event *event = recorder_event (r, EV_SIGNAL, t);
  event->signo = t->signo;
  event->siginfo = t->siginfo;
  event->sync = fault && t->moved;
  event->check = regs_check (&regs, FALSE);
  return fate == FATE_CAUGHT ? deliver_to_handler (r, t, event, error) : deliver_fatal (r, t, event, error);
}

/* ---- Job control ---- */

gboolean
signal_group_stop (Recorder *r, Thread *t, int signo, GError **error)
{
  t->group_stopped = TRUE;
  if (t->state == THREAD_RUNNING)
    {
      /* Others may run before it does.  */
      if (!recorder_point (r, t, POINT_PREEMPT, error))
        return FALSE;
      t->state = THREAD_IN_CALL; /* the kernel has it  */
    }
  if (!task_resume (&t->task, PTRACE_LISTEN, 0, error))
    return FALSE;
  /* A shell watches us and not the program: stop with it when its terminal
     says so.  (SIGSTOP from elsewhere may be undone by a SIGCONT that only
     the program gets.)  */
  if (t->is_leader && r->poll_fd < 0 && signo != SIGSTOP)
    raise (SIGSTOP);
  return TRUE;
}
