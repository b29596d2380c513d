/* Stopping a running stretch from outside: see interrupt.h.

   PTRACE_INTERRUPT is only for seized tasks, others get a SIGSTOP that
   they never see.  Either remains pending while the task is stopped and
   takes effect before the next instruction, so there is no window in which
   a request is lost.  State is global, because a signal handler has no
   other; there is one run at a time in a helper.  */

#include "ticks/interrupt.h"

#include "base/error.h"
#include "ticks/ticks.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

static volatile sig_atomic_t pending;
static volatile sig_atomic_t sent;
static volatile pid_t running;

static struct
{
  gboolean armed;
  timer_t timer;
  struct sigaction old_action;
  sigset_t old_mask;
} limit;

static void
stop_task (pid_t tid)
{
  if (ptrace (PTRACE_INTERRUPT, tid, 0, 0) != 0)
    syscall (SYS_tkill, tid, SIGSTOP);
}

void
ticks_interrupt (void)
{
  int saved = errno;

  pending = 1;
  if (running != 0)
    {
      sent = 1;
      stop_task (running);
    }
  errno = saved;
}

static void
on_alarm (int sig)
{
  (void) sig;
  ticks_interrupt ();
}

gboolean
interrupt_is_stop (int status)
{
  return (status >> 16) == PTRACE_EVENT_STOP || (WIFSTOPPED (status) && status >> 16 == 0 && WSTOPSIG (status) == SIGSTOP);
}

gboolean
interrupt_pending (void)
{
  return pending != 0;
}

static gboolean
arm_limit (guint64 usec, GError **error)
{
  struct sigaction action = { .sa_handler = on_alarm };
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
  struct itimerspec spec = { .it_value = { (time_t) (usec / 1000000), (long) (usec % 1000000 * 1000) } };
  sigset_t alarm_only;

  if (timer_create (CLOCK_MONOTONIC, &event, &limit.timer) != 0)
    return error_set_errno (error, "cannot make a timer");
  sigemptyset (&alarm_only);
  sigaddset (&alarm_only, SIGALRM);
  sigaction (SIGALRM, &action, &limit.old_action);
  sigprocmask (SIG_UNBLOCK, &alarm_only, &limit.old_mask);
  limit.armed = TRUE;
  timer_settime (limit.timer, 0, &spec, NULL);
  return TRUE;
}

static void
disarm_limit (void)
{
  if (!limit.armed)
    return;
  limit.armed = FALSE;
  timer_delete (limit.timer);
  sigprocmask (SIG_SETMASK, &limit.old_mask, NULL);
  sigaction (SIGALRM, &limit.old_action, NULL);
}

gboolean
interrupt_begin (const Task *task, guint64 max_usec, GError **error)
{
  pending = 0;
  sent = 0;
  running = task->tid;
  return max_usec == 0 || arm_limit (max_usec, error);
}

gboolean
interrupt_renew (const Task *task, GError **error)
{
  int status;

  stop_task (task->tid);
  return task_resume (task, PTRACE_CONT, 0, error) && task_wait (task, &status, error);
}

gboolean
interrupt_end (const Task *task, GError **error)
{
  disarm_limit ();
  running = 0;
  /* Whether ours was consumed is not known: ask once more and take it.  */
  return !sent || interrupt_renew (task, error);
}
