/* Processes, identities, scheduling and limits.  */

#include "sys/rows.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#define RUSAGE sizeof (struct rusage)

static gboolean
enter_wait4 (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = !(call->args[2] & WNOHANG);
  return TRUE;
}

static gboolean
enter_waitid (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = !(call->args[3] & WNOHANG);
  return TRUE;
}

/* One or two structures, as the header's version says; the header is
   written when the version is unknown, which is an error.  */
static gboolean
leave_capget (SysCall *call, Event *event, GError **error)
{
  (void) error;
  sys_add_some (call, event, call->args[0], 8);
  if (!sys_failed (call))
    sys_add_some (call, event, call->args[1], 24);
  return TRUE;
}

const SysNumbered sys_rows_process[] = {
  R (clone, "xpppx", RECORDER),
  R (clone3, "pu", RECORDER),
  R (fork, "", RECORDER),
  R (vfork, "", RECORDER),
  R (execve, "spp", RECORDER),
  R (execveat, "fsppx", RECORDER),
  R (exit, "d", RECORDER),
  R (exit_group, "d", RECORDER),
  R (set_tid_address, "p", RECORDER),
  R (sched_setaffinity, "dup", RECORDER),
  R (sched_getaffinity, "dup", RECORDER),
  R (wait4, "dpxp", BLOCKS, OUTS (BYTES (1, 4), BYTES (3, RUSAGE)), .enter = enter_wait4),
  R (waitid, "ddpxp", BLOCKS, OUTS (BYTES (2, sizeof (siginfo_t)), BYTES (4, RUSAGE)), .enter = enter_waitid),
  R (getpid, ""),
  R (gettid, ""),
  R (getppid, ""),
  R (getpgrp, ""),
  R (getpgid, "d"),
  R (setpgid, "dd"),
  R (getsid, "d"),
  R (setsid, ""),
  R (getuid, ""),
  R (geteuid, ""),
  R (getgid, ""),
  R (getegid, ""),
  R (setuid, "d"),
  R (setgid, "d"),
  R (setreuid, "dd"),
  R (setregid, "dd"),
  R (setresuid, "ddd"),
  R (setresgid, "ddd"),
  R (getresuid, "ppp", OUTS (BYTES (0, 4), BYTES (1, 4), BYTES (2, 4))),
  R (getresgid, "ppp", OUTS (BYTES (0, 4), BYTES (1, 4), BYTES (2, 4))),
  R (setfsuid, "d"),
  R (setfsgid, "d"),
  R (getgroups, "dp", OUTS (AT_MOST_OF (1, 0, 4))),
  R (setgroups, "dp"),
  R (capget, "pp", .leave = leave_capget),
  R (capset, "pp"),
  R (getrlimit, "dp", OUTS (BYTES (1, 16))),
  R (getrusage, "dp", OUTS (BYTES (1, RUSAGE))),
  R (getpriority, "dd"),
  R (setpriority, "ddd"),
  R (ioprio_get, "dd"),
  R (ioprio_set, "ddx"),
  R (sched_yield, "", .flags = SYS_YIELD),
  R (sched_setparam, "dp"),
  R (sched_getparam, "dp", OUTS (BYTES (1, 4))),
  R (sched_setscheduler, "ddp"),
  R (sched_getscheduler, "d"),
  R (sched_get_priority_max, "d"),
  R (sched_get_priority_min, "d"),
  R (sched_rr_get_interval, "dp", OUTS (BYTES (1, 16))),
  R (sched_setattr, "dpx"),
  R (sched_getattr, "dpux", OUTS (COUNT (1, 2))),
  R (getcpu, "ppp", OUTS (BYTES (0, 4), BYTES (1, 4))),
  R (unshare, "x"),
  R (setns, "fx"),
  R (kcmp, "dddxx"),
  /* glibc falls back to sched_getcpu; the kernel would write the CPU into
     the thread's memory at any preemption.  */
  R (rseq, "puxx", DENY (ENOSYS)),
  R (membarrier, "xxd"),
  R (ptrace, "xdxx", DENY (EPERM)),
  R (seccomp, "xxp", DENY (ENOSYS)),
  R (process_mrelease, "fx"),
  ROWS_END,
};
