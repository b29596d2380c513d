/* From event to event: run natively to the next trap, hold it against the
   log, apply the event.

   PTRACE_SYSEMU stops the task once for each system call and performs
   none; faults and instructions that are made to fault
   (trace/trapped.h) stop it as signals.  Signals from outside (somebody's kill) are no part of history
   and are dropped.

   An interrupt asks the running task to stop with SIGSTOP; one that
   arrives late is dropped at a later stop like any other signal.  */

#include "replay/private.h"

#include "base/error.h"
#include "trace/trapped.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int replay_interrupted;

/* The task that is running or about to, or 0.  */
static volatile pid_t running;

void
replay_interrupt (void)
{
  int saved = errno;
  pid_t tid = running;

  replay_interrupted = 1;
  if (tid > 0)
    syscall (SYS_tgkill, tid, tid, SIGSTOP);
  errno = saved;
}

/* Resume and wait.  The task is named before it runs, so no interrupt can
   fall between.  */
static gboolean
run_and_wait (Replay *replay, int *status_ret, GError **error)
{
  pid_t tid = replay->task.tid, pid;

  running = tid;
  if (replay_interrupted)
    syscall (SYS_tgkill, tid, tid, SIGSTOP);
  if (!task_resume (&replay->task, PTRACE_SYSEMU, 0, error))
    {
      running = 0;
      return FALSE;
    }
  do
    pid = waitpid (tid, status_ret, __WALL);
  while (pid < 0 && errno == EINTR);
  running = 0;
  if (pid != tid)
    return error_set_errno (error, "cannot wait for the replay's process %d", tid);
  if (WIFSTOPPED (*status_ret))
    return TRUE;
  replay->task.tid = 0;
  return error_set (error, RETRO_ERROR_GONE, "the replay's process %d was killed (%s %d)", tid,
                    WIFSIGNALED (*status_ret) ? "signal" : "exit",
                    WIFSIGNALED (*status_ret) ? WTERMSIG (*status_ret) : WEXITSTATUS (*status_ret));
}

/* What a signal-delivery stop means.  FALSE in *KNOWN_RET: nothing.  */
static gboolean
classify_signal (Replay *replay, int signo, RunStop *stop_ret, gboolean *known_ret, Regs *regs_ret, GError **error)
{
  siginfo_t info;
  unsigned slots = 0;

  *known_ret = FALSE;
  if (signo == SIGSTOP && replay_interrupted)
    {
      replay_interrupted = 0;
      replay->inside = TRUE;
      return error_set (error, RETRO_ERROR_INTERRUPTED, "interrupted");
    }
  if (!task_get_siginfo (&replay->task, &info, error))
    return FALSE;
  if (info.si_code <= 0) /* sent, not raised  */
    return TRUE;
  if (!task_get_regs (&replay->task, regs_ret, error)
      || (signo == SIGTRAP && !task_debug_hits (&replay->task, &slots, error)))
    return FALSE;
  *known_ret = TRUE;
  if (slots != 0)
    *stop_ret = RUN_BREAK;
  else if (signo == SIGSEGV && trapped_at (&replay->task, regs_ret->rip) != TRAPPED_NOT)
    *stop_ret = RUN_TRAPPED;
  else
    *stop_ret = RUN_SIGNAL;
  return TRUE;
}

gboolean
replay_run_native (Replay *replay, RunStop *stop_ret, int *signo_ret, Regs *regs_ret, GError **error)
{
  for (;;)
    {
      gboolean known;
      int status;

      replay->entered = FALSE;
      if (!run_and_wait (replay, &status, error))
        return FALSE;
      *signo_ret = WSTOPSIG (status);
      if (*signo_ret == (SIGTRAP | 0x80))
        {
          replay->entered = TRUE;
          *stop_ret = RUN_CALL;
          return task_get_regs (&replay->task, regs_ret, error);
        }
      if (status >> 16 != 0)
        continue;
      if (!classify_signal (replay, *signo_ret, stop_ret, &known, regs_ret, error))
        return FALSE;
      if (known)
        return TRUE;
    }
}

/* --- Checking --- */

static gboolean
check_arrival (Replay *replay, const Event *event, RunStop stop, int signo, const Regs *regs, GError **error)
{
  gboolean fits = FALSE;

  switch (event->kind)
    {
    case EV_SYSCALL:
    case EV_ENTER:
      fits = stop == RUN_CALL;
      break;
    case EV_TSC:
      fits = stop == RUN_TRAPPED;
      break;
    case EV_SIGNAL:
      /* The program may have asked for the trap itself.  */
      fits = (stop == RUN_SIGNAL || stop == RUN_TRAPPED) && signo == event->signo;
      break;
    default:
      break;
    }
  if (!fits)
    {
      g_autofree char *expected = replay_describe_event (event);
      g_autofree char *found = replay_describe_stop (stop, signo, regs);

      return replay_diverged (replay, event, error, "the log has %s, the program arrives at %s", expected, found);
    }
  if (stop == RUN_CALL)
    return replay_check_call (replay, event, regs, error);
  return replay_check_regs (replay, event, regs, error);
}

static gboolean
run_to (Replay *replay, const Event *event, GError **error)
{
  RunStop stop;
  int signo;
  Regs regs;

  if (!replay_load (replay, event->thread, error))
    return FALSE;
  if (event->kind == EV_POINT)
    {
      if (event->point == NULL)
        return error_set (error, RETRO_ERROR_FORMAT, "event %" G_GUINT64_FORMAT " has no point", replay->event);
      return replay_run_to_point (replay, event->point, error) && replay_apply (replay, event, NULL, error);
    }
  return replay_run_native (replay, &stop, &signo, &regs, error)
         && check_arrival (replay, event, stop, signo, &regs, error) && replay_apply (replay, event, &regs, error);
}

static gboolean
take_interrupt (GError **error)
{
  if (!replay_interrupted)
    return FALSE;
  replay_interrupted = 0;
  error_set (error, RETRO_ERROR_INTERRUPTED, "interrupted");
  return TRUE;
}

gboolean
replay_next (Replay *replay, GError **error)
{
  const Event *event;

  if (take_interrupt (error))
    return FALSE;
  if (replay->event >= log_length (replay->log))
    return error_set (error, RETRO_ERROR_USAGE, "the end of the recording is reached");
  event = log_get (replay->log, replay->event, error);
  if (event == NULL)
    return FALSE;
  return replay_event_runs (event) ? run_to (replay, event, error) : replay_apply (replay, event, NULL, error);
}

gboolean
replay_to (Replay *replay, EventNo target, GError **error)
{
  while (replay->event < target)
    if (!replay_next (replay, error))
      return FALSE;
  return TRUE;
}

/* --- For those who move the task themselves --- */

/* The registers as a system-call-entry stop would have them.  */
static void
pretend_entry (Regs *regs)
{
  regs->orig_rax = regs->rax;
  regs->rax = (guint64) -ENOSYS;
  regs->rip += 2;
}

gboolean
replay_arrived (Replay *replay, GError **error)
{
  const Event *event = replay_peek (replay, error);
  Regs regs;

  g_assert (event != NULL);
  if (!replay_load (replay, event->thread, error) || !replay_settle (replay, error)
      || !replay_get_regs (replay, event->thread, &regs, error))
    return FALSE;
  switch (event->kind)
    {
    case EV_SYSCALL:
    case EV_ENTER:
      pretend_entry (&regs);
      if (!replay_check_call (replay, event, &regs, error))
        return FALSE;
      break;
    case EV_SIGNAL:
      {
        guint8 code = 0;

        /* Breakpoint instructions fault with the pc behind them.  */
        task_read_some (&replay->task, regs.rip, &code, 1);
        if (event->sync && event->signo == SIGTRAP && (code == 0xcc || code == 0xcd))
          {
            regs.rip += code == 0xcc ? 1 : 2;
            if (regs_check (&regs, FALSE) != event->check)
              regs.rip -= code == 0xcc ? 1 : 2;
          }
        if (event->sync && !replay_check_regs (replay, event, &regs, error))
          return FALSE;
        break;
      }
    case EV_TSC:
      if (!replay_check_regs (replay, event, &regs, error))
        return FALSE;
      break;
    default:
      break;
    }
  return replay_apply (replay, event, &regs, error);
}
