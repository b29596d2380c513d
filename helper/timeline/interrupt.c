/* The user's interrupt while the session moves.

   It comes as a signal (session_interrupt from a handler) or as bytes from
   the client.  A native run waits in waitpid and a translated one in the
   task, so a timer looks at the client's descriptor while moving; when
   something is readable there it makes the runs stop, and the movement
   asks the client, outside the handler, whether that was meant.  */

#include "timeline/private.h"

#include "base/error.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t wanted;   /* session_interrupt was called  */
static volatile sig_atomic_t readable; /* the descriptor has something  */
static volatile sig_atomic_t deferred; /* until the end of the movement  */
static volatile int watched_fd = -1;
static timer_t timer;
static gboolean has_timer;
static struct sigaction old_action;

#define LOOK_NSEC 30000000
#define LOOK_SIGNAL SIGURG /* ignored by default, so harmless when late  */

void
session_interrupt (void)
{
  wanted = 1;
  replay_interrupt ();
  ticks_interrupt ();
  recorder_interrupt ();
}

static void
look (int signo)
{
  int saved = errno;
  struct pollfd fd = { .fd = watched_fd, .events = POLLIN };

  (void) signo;
  if (fd.fd >= 0 && poll (&fd, 1, 0) > 0)
    {
      readable = 1;
      replay_interrupt ();
      ticks_interrupt ();
    }
  errno = saved;
}

void
interrupt_start (Session *session)
{
  const struct itimerspec every = { .it_interval.tv_nsec = LOOK_NSEC, .it_value.tv_nsec = LOOK_NSEC };
  struct sigaction action = { .sa_handler = look };
  struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = LOOK_SIGNAL };

  wanted = 0;
  readable = 0;
  recorder_forget_interrupt ();
  deferred = 0;
  watched_fd = session->poll_fd;
  if (watched_fd < 0 || has_timer)
    return;
  /* What came before is forgotten, but not that the client has gone, which a
     signal may have told.  */
  if (session->poll_func != NULL && session->poll_func (session->poll_user))
    session_interrupt ();
  sigaction (LOOK_SIGNAL, &action, &old_action);
  if (timer_create (CLOCK_MONOTONIC, &how, &timer) != 0)
    return;
  has_timer = TRUE;
  timer_settime (timer, 0, &every, NULL);
}

void
interrupt_finish (Session *session)
{
  (void) session;
  watched_fd = -1;
  if (!has_timer)
    return;
  timer_delete (timer);
  sigaction (LOOK_SIGNAL, &old_action, NULL);
  has_timer = FALSE;
}

void
interrupt_defer (void)
{
  watched_fd = -1;
  deferred = 1;
}

gboolean
interrupt_is_due (void)
{
  return !deferred && (wanted || readable);
}

gboolean
interrupt_wanted (Session *session)
{
  struct pollfd fd = { .fd = session->poll_fd, .events = POLLIN };

  if (deferred)
    return FALSE;
  if (wanted)
    return TRUE;
  if (session->poll_fd < 0 || (!readable && poll (&fd, 1, 0) <= 0))
    return FALSE;
  readable = 0;
  if (session->poll_func == NULL || session->poll_func (session->poll_user))
    wanted = 1;
  return wanted;
}

gboolean
interrupt_check (Session *session, GError **error)
{
  return !interrupt_wanted (session) || error_set (error, RETRO_ERROR_INTERRUPTED, "interrupted");
}

void
session_set_interrupt (Session *session, int fd, gboolean (*func) (gpointer user), gpointer user)
{
  session->poll_fd = fd;
  session->poll_func = func;
  session->poll_user = user;
  if (session->recorder != NULL)
    recorder_set_poll (session->recorder, fd, func, user);
}
