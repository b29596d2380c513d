/* Signals: the calls about them.  Their delivery is the recorder's.  */

#include "sys/rows.h"

#include <signal.h>

#define KERNEL_SIGACTION 32 /* handler, flags, restorer, mask  */

const SysNumbered sys_rows_signal[] = {
  R (rt_sigaction, "gppu", OUTS (BYTES (2, KERNEL_SIGACTION))),
  R (rt_sigprocmask, "dppu", OUTS (COUNT (2, 3))),
  R (rt_sigpending, "pu", OUTS (COUNT (0, 1))),
  R (rt_sigtimedwait, "pppu", BLOCKS, OUTS (BYTES (1, sizeof (siginfo_t)))),
  R (rt_sigsuspend, "pu", BLOCKS),
  R (rt_sigqueueinfo, "dgp"),
  R (rt_tgsigqueueinfo, "ddgp"),
  R (rt_sigreturn, "", RECORDER),
  R (sigaltstack, "pp", OUTS (BYTES (1, sizeof (stack_t)))),
  R (kill, "dg"),
  R (tkill, "dg"),
  R (tgkill, "ddg"),
  R (pause, "", BLOCKS),
  R (signalfd, "fpu"),
  R (signalfd4, "fpux"),
  R (pidfd_open, "dx"),
  R (pidfd_send_signal, "fgpx"),
  R (pidfd_getfd, "ffx"),
  /* Only the kernel makes it, to go on with a sleep or a poll that a stop
     interrupted; the recorder keeps the original call for that.  */
  R (restart_syscall, "", BLOCKS),
  ROWS_END,
};
