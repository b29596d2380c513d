/* Waiting for descriptors.

   select and ppoll write the time that is left even when interrupted;
   poll writes its array even then.  A zero time-out does not block.  */

#include "sys/rows.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>

/* A struct timespec or timeval at ADDR that is zero.  */
static gboolean
is_zero_time (const SysCall *call, Addr addr)
{
  gint64 t[2];

  return addr != 0 && task_read_some (call->task, addr, t, sizeof t) == sizeof t && t[0] == 0 && t[1] == 0;
}

static gboolean
enter_poll (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = sys_int (call, 2) != 0;
  return TRUE;
}

static gboolean
enter_ppoll (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = !is_zero_time (call, call->args[2]);
  return TRUE;
}

static gboolean
enter_select (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = !is_zero_time (call, call->args[4]);
  return TRUE;
}

static gboolean
enter_epoll_wait (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = sys_int (call, 3) != 0;
  return TRUE;
}

static gboolean
enter_epoll_pwait2 (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = !is_zero_time (call, call->args[3]);
  return TRUE;
}

/* The sets are as long as the highest descriptor says, in longs; the
   kernel stops at the table's size, which is never more.  */
static gboolean
leave_select (SysCall *call, Event *event, GError **error)
{
  gint64 n = sys_int (call, 0);

  (void) error;
  if (n > 0 && !sys_failed (call))
    for (int i = 1; i <= 3; i++)
      sys_add_some (call, event, call->args[i], (guint64) (n + 63) / 64 * 8);
  return TRUE;
}

#define TIMEOUT_EVEN(a) BYTES_EVEN (a, 16)

const SysNumbered sys_rows_poll[] = {
  R (poll, "pud", BLOCKS, OUTS (COUNT_EVEN (0, 1, sizeof (struct pollfd))), .enter = enter_poll),
  R (ppoll, "puppu", BLOCKS, OUTS (COUNT_EVEN (0, 1, sizeof (struct pollfd)), TIMEOUT_EVEN (2)),
     .enter = enter_ppoll),
  R (select, "dpppp", BLOCKS, OUTS (TIMEOUT_EVEN (4)), .enter = enter_select, .leave = leave_select),
  R (pselect6, "dppppp", BLOCKS, OUTS (TIMEOUT_EVEN (4)), .enter = enter_select, .leave = leave_select),
  R (epoll_create, "d"),
  R (epoll_create1, "x"),
  R (epoll_ctl, "fdfp"),
  R (epoll_wait, "fpdd", BLOCKS, OUTS (RESULT_OF (1, sizeof (struct epoll_event))), .enter = enter_epoll_wait),
  R (epoll_pwait, "fpddpu", BLOCKS, OUTS (RESULT_OF (1, sizeof (struct epoll_event))), .enter = enter_epoll_wait),
  R (epoll_pwait2, "fpdppu", BLOCKS, OUTS (RESULT_OF (1, sizeof (struct epoll_event))),
     .enter = enter_epoll_pwait2),
  R (epoll_ctl_old, "", DENY (ENOSYS)),
  R (epoll_wait_old, "", DENY (ENOSYS)),
  ROWS_END,
};
