/* One kernel task under ptrace: registers, memory, injected calls.

   A Task is the handle for a stopped tracee; it holds the tid, and a
   descriptor of its memory.  It knows nothing of recording or replaying.
   All functions want the task in a ptrace stop and leave it there.

   Memory goes through /proc/PID/mem, which ignores page protections (the
   debugger may read PROT_NONE and write read-only text).  The descriptor
   belongs to one address space: call task_reopen after an exec.

   ptrace facts that force the shape: only the thread that attached may
   use ptrace (the helper is single-threaded for that reason); a call can
   be injected at any stop except a system-call-entry stop.  */

#ifndef RETRO_TRACE_TASK_H
#define RETRO_TRACE_TASK_H

#include "base/types.h"

#include <signal.h>

typedef struct
{
  pid_t tid;
  int mem_fd;
  Addr syscall_insn; /* address of a `syscall' instruction, for task_inject  */
} Task;

#define TASK_INIT                                                                                                      \
  {                                                                                                                    \
    .tid = 0, .mem_fd = -1                                                                                             \
  }

/* Make T the handle of TID (already traced and stopped).  */
gboolean task_init (Task *t, pid_t tid, GError **error);
/* Open its memory anew, after an exec.  */
gboolean task_reopen (Task *t, GError **error);
/* Forget the task (does not touch the process).  */
void task_clear (Task *t);
/* Kill the task's process and reap it; then task_clear.  */
void task_kill (Task *t);

gboolean task_get_regs (const Task *t, Regs *regs_ret, GError **error);
gboolean task_set_regs (const Task *t, const Regs *regs, GError **error);

/* The extended state as the kernel's XSAVE image; g_bytes, compared and
   hashed as bytes by callers through xstate_hash.  */
GBytes *task_get_xstate (const Task *t, GError **error);
gboolean task_set_xstate (const Task *t, GBytes *xstate, GError **error);

/* Read or write all LENGTH bytes, or fail.  */
gboolean task_read (const Task *t, Addr addr, void *buffer, gsize length, GError **error);
gboolean task_write (const Task *t, Addr addr, const void *buffer, gsize length, GError **error);
/* Read as much as there is; the number of bytes read, 0 if none.  */
gsize task_read_some (const Task *t, Addr addr, void *buffer, gsize length);
/* Read a NUL-terminated string of at most MAX bytes; NULL if unreadable.  */
char *task_read_string (const Task *t, Addr addr, gsize max);

/* Run system call NR in the task by executing its syscall instruction,
   with all signals blocked meanwhile; registers and signal mask are as
   before afterwards.  The kernel's result (-errno on failure) goes to
   *RESULT_RET.  New processes made by the call stop traced; their pid
   goes to *CHILD_RET if not NULL (else they are an error).  FALSE only if
   the task died or ptrace failed.  */
gboolean task_inject (Task *t, long nr, const guint64 args[6], gint64 *result_ret, pid_t *child_ret, GError **error);

/* The ptrace options that every task of ours has.  */
#define TASK_OPTIONS                                                                                                   \
  (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC        \
   | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL)

/* PTRACE_request (PTRACE_CONT, _SYSCALL, _SYSEMU, _SINGLESTEP ...) with SIG.  */
gboolean task_resume (const Task *t, int request, int sig, GError **error);

/* Wait until this very task stops; *STATUS_RET as from waitpid.  Fails
   with RETRO_ERROR_GONE if it died.  */
gboolean task_wait (const Task *t, int *status_ret, GError **error);

/* STATUS is what waitpid said of TID; what to make of it.  A task that runs
   into a trap (int3, a step) while an interruption is on its way reports the
   interruption first: registers are behind the trap then, and SIGTRAP comes
   at the next resumption.  Such a stop is passed over for the trap, so that
   an interrupted task always stands where it can go on from; whoever has
   asked for the interruption must look whether it still wants one.  */
int task_trap_first (pid_t tid, int status);

/* Execute one instruction of the task and wait.  *STATUS_RET is the stop
   (SIGTRAP when all went well).  */
gboolean task_step (const Task *t, int *status_ret, GError **error);

/* The signals that the task blocks, bit N - 1 for signal N.  */
gboolean task_get_mask (const Task *t, guint64 *mask_ret, GError **error);
gboolean task_set_mask (const Task *t, guint64 mask, GError **error);

/* siginfo of a signal-delivery stop.  */
gboolean task_get_siginfo (const Task *t, siginfo_t *info_ret, GError **error);

/* Debug registers: slot 0-3; TYPE 0 execute, 1 write, 3 access (read or write); LENGTH 1,
   2, 4, 8.  */
gboolean task_set_debug (const Task *t, int slot, Addr addr, int type, int length, GError **error);
gboolean task_clear_debug (const Task *t, int slot, GError **error);
/* Slots (bit set) that triggered the last debug trap; also clears them.  */
gboolean task_debug_hits (const Task *t, unsigned *slots_ret, GError **error);

#endif
