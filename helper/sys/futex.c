/* Futexes.

   The plain ones only read the word.  The priority-inheriting ones write
   it: the owner's tid, FUTEX_WAITERS when somebody sleeps; FUTEX_WAKE_OP
   computes on a second word.  A lock that sleeps sets FUTEX_WAITERS before
   it sleeps, while the owner may yet run: see `sys_sleep' in sys.h.  */

#include "sys/rows.h"

#include <linux/futex.h>

#define WORD_1 1u /* may write the word at args[0]  */
#define WORD_2 2u /* may write the word at args[4]  */
#define WAITS 4u  /* may sleep  */

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

static const guint8 op_flags[] = {
  [FUTEX_WAIT] = WAITS,
  [FUTEX_WAKE] = 0,
  [FUTEX_FD] = 0,
  [FUTEX_REQUEUE] = 0,
  [FUTEX_CMP_REQUEUE] = 0,
  [FUTEX_WAKE_OP] = WORD_2,
  [FUTEX_LOCK_PI] = WAITS | WORD_1,
  [FUTEX_UNLOCK_PI] = WORD_1,
  [FUTEX_TRYLOCK_PI] = WORD_1,
  [FUTEX_WAIT_BITSET] = WAITS,
  [FUTEX_WAKE_BITSET] = 0,
  [FUTEX_WAIT_REQUEUE_PI] = WAITS | WORD_2,
  [FUTEX_CMP_REQUEUE_PI] = WORD_2,
  [FUTEX_LOCK_PI2] = WAITS | WORD_1,
};

static guint
get_flags (const SysCall *call)
{
  guint op = (guint) call->args[1] & (guint) FUTEX_CMD_MASK;
  return op < G_N_ELEMENTS (op_flags) ? op_flags[op] : 0;
}

static gboolean
enter_futex (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = (get_flags (call) & WAITS) != 0;
  return TRUE;
}

/* A failed lock may have set FUTEX_WAITERS all the same.  */
static gboolean
leave_futex (SysCall *call, Event *event, GError **error)
{
  guint flags = get_flags (call);

  (void) error;
  if (flags & WORD_1)
    sys_add_some (call, event, call->args[0], 4);
  if (flags & WORD_2)
    sys_add_some (call, event, call->args[4], 4);
  return TRUE;
}

static void
sleep_futex (SysCall *call, Event *event)
{
  if (get_flags (call) & WORD_1)
    sys_add_some (call, event, call->args[0], 4);
}

const SysNumbered sys_rows_futex[] = {
  R (futex, "pxupp", BLOCKS, .enter = enter_futex, .leave = leave_futex, .sleep = sleep_futex),
  R (futex_waitv, "puxpd", BLOCKS),
  R (futex_wake, "pxdx"),
  R (futex_wait, "pxxxpd", BLOCKS),
  R (futex_requeue, "pxdd"),
  R (set_robust_list, "pu"),
  R (get_robust_list, "dpp", OUTS (BYTES (1, 8), BYTES (2, 8))),
  ROWS_END,
};
