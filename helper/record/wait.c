/* Waiting: for tasks to stop, for a time slice to end, for the client.

   SIGCHLD is blocked and read through a descriptor, so that no stop falls
   between looking and sleeping.  A recording that nobody disturbs has
   nothing else to wait for, but for the ends of slices, and sleeps in waitpid
   itself, which saves two calls for each stop.  */

#include "record/internal.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* An interruption makes this descriptor readable, so that one that comes
   just before we go to sleep is not slept over.  */
static int interrupt_fd = -1;

void
recorder_interrupt (void)
{
  const guint64 one = 1;
  int saved = errno;

  /* It fails only if it is full of them.  */
  g_assert (interrupt_fd < 0 || write (interrupt_fd, &one, sizeof one) == sizeof one || errno == EAGAIN);
  errno = saved;
}

gboolean
recorder_forget_interrupt (void)
{
  guint64 n;

  return interrupt_fd >= 0 && read (interrupt_fd, &n, sizeof n) == sizeof n;
}

guint64
now_usec (void)
{
  return (guint64) g_get_monotonic_time ();
}

gboolean
wait_init (Recorder *r, GError **error)
{
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGCHLD);
  sigprocmask (SIG_BLOCK, &set, NULL);
  r->poll_fd = -1;
  if (interrupt_fd < 0 && (interrupt_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
    return error_set_errno (error, "cannot make an event descriptor");
  r->signal_fd = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (r->signal_fd < 0)
    return error_set_errno (error, "cannot make a signal descriptor");
  return TRUE;
}

void
wait_clear (Recorder *r)
{
  if (r->signal_fd >= 0)
    close (r->signal_fd);
  r->signal_fd = -1;
}

void
recorder_set_poll (Recorder *r, int fd, gboolean (*func) (gpointer user), gpointer user)
{
  r->poll_fd = fd;
  r->poll_func = func;
  r->poll_user = user;
}

pid_t
wait_poll (pid_t tid, int *status_ret)
{
  pid_t got;

  do
    got = waitpid (tid > 0 ? tid : -1, status_ret, __WALL | WNOHANG);
  while (got < 0 && errno == EINTR);
  if (got > 0)
    *status_ret = task_trap_first (got, *status_ret);
  return MAX (got, 0);
}

/* Sleep until something may have happened.  TRUE in *STOP_RET: the user
   wants to stop.  */
static void
sleep_until (Recorder *r, guint64 until, gboolean *stop_ret)
{
  struct pollfd fds[3] = { { r->signal_fd, POLLIN, 0 }, { interrupt_fd, POLLIN, 0 }, { r->poll_fd, POLLIN, 0 } };
  struct signalfd_siginfo infos[8];
  struct timespec timeout, *timeout_or_none = NULL;

  if (until != 0)
    {
      guint64 now = now_usec ();
      guint64 left = until > now ? until - now : 0;

      timeout.tv_sec = (time_t) (left / G_USEC_PER_SEC);
      timeout.tv_nsec = (long) (left % G_USEC_PER_SEC) * 1000;
      timeout_or_none = &timeout;
    }
  if (ppoll (fds, r->poll_fd >= 0 ? 3 : 2, timeout_or_none, NULL) > 0)
    {
      if (fds[0].revents != 0)
        while (read (r->signal_fd, infos, sizeof infos) == sizeof infos)
          ;
      if (fds[1].revents != 0 && recorder_forget_interrupt ())
        *stop_ret = TRUE;
      if (r->poll_fd >= 0 && fds[2].revents != 0 && r->poll_func (r->poll_user))
        *stop_ret = TRUE;
    }
}

gboolean
wait_next (Recorder *r, pid_t tid, guint64 until, pid_t *tid_ret, int *status_ret, GError **error)
{
  gboolean simple = until == 0 && r->request != NULL && r->request->undisturbed;

  for (;;)
    {
      gboolean stop = FALSE;
      pid_t got = waitpid (tid > 0 ? tid : -1, status_ret, __WALL | (simple ? 0 : WNOHANG));

      if (got > 0)
        {
          *tid_ret = got;
          *status_ret = task_trap_first (got, *status_ret);
          return TRUE;
        }
      if (got < 0 && errno != EINTR)
        return error_set_errno (error, "cannot wait for the program");
      if (simple)
        continue;
      sleep_until (r, until, &stop);
      if (stop)
        {
          *tid_ret = -1;
          return TRUE;
        }
      if (until != 0 && now_usec () >= until)
        {
          *tid_ret = wait_poll (tid, status_ret);
          return TRUE;
        }
    }
}

/* The state letter of T in /proc, 0 if there is none.  */
static char
thread_state (const Recorder *r, const Thread *t)
{
  char path[64], text[512];

  g_snprintf (path, sizeof path, "/proc/%d/task/%d/stat", r->pid, t->task.tid);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  ssize_t n = read (fd, text, sizeof text - 1);
  close (fd);
  if (n <= 0)
    return 0;
  text[n] = 0;
  const char *end = strrchr (text, ')');
  return end != NULL && end[1] == ' ' ? end[2] : 0;
}

gboolean
wait_while_busy (Recorder *r)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      Thread *t = r->threads->pdata[i];

      if (t->state != THREAD_IN_CALL || t->woken || t->group_stopped)
        continue;
      char state = thread_state (r, t);
      if (state == 'R' || state == 't')
        {
          /* The CPU is shared: it goes on now, or waits for us.  */
          sched_yield ();
          return TRUE;
        }
    }
  return FALSE;
}

gboolean
wait_asleep (Recorder *r, Thread *t, gboolean *asleep_ret, int *status_ret, GError **error)
{
  for (int i = 0;; i++)
    {
      /* The thread shares our CPU: giving that up lets it run until it
         stops or sleeps.  */
      sched_yield ();
      if (wait_poll (t->task.tid, status_ret) == t->task.tid)
        {
          *asleep_ret = FALSE;
          return TRUE;
        }
      char state = thread_state (r, t);
      if (state == 'S' || state == 'I' || (state == 'D' && r->has_vfork))
        {
          *asleep_ret = TRUE;
          return TRUE;
        }
      if (state == 0 || state == 'Z' || state == 'X')
        {
          pid_t got;

          if (!wait_next (r, t->task.tid, 0, &got, status_ret, error))
            return FALSE;
          *asleep_ret = FALSE;
          return TRUE;
        }
      if (i > 20)
        {
          /* Runs elsewhere or waits for a disk: sleep until it stops, for a
             little while.  */
          pid_t got;

          if (!wait_next (r, t->task.tid, now_usec () + 1000, &got, status_ret, error))
            return FALSE;
          if (got == t->task.tid)
            {
              *asleep_ret = FALSE;
              return TRUE;
            }
          if (got == -1)
            r->want_stop = TRUE;
        }
    }
}
