/* prctl: attributes of the process.

   Some would fight with the recorder and are answered here: the time-stamp
   counter and cpuid trap in any case, filters and dispatch of calls are refused as
   by a kernel without them, and a process that is not "dumpable" would
   close its /proc files to an ordinary user's recorder, so that it only
   believes to be.  Numbers newer than the table give EINVAL.  */

#include "sys/rows.h"
#include "trace/trapped.h"

#include <elf.h>
#include <linux/prctl.h>
#include <string.h>

#ifndef PR_GET_AUXV
#define PR_GET_AUXV 0x41555856
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif
#define NEWEST_KNOWN 79

#define RUN 0           /* the kernel does it, nothing is written  */
#define WRITES(n) (n)   /* N bytes behind the second argument  */
#define ANSWER_EINVAL -1
#define ANSWER_EPERM -2

static const gint16 options[NEWEST_KNOWN + 1] = {
  [PR_GET_PDEATHSIG] = WRITES (4),
  [PR_GET_UNALIGN] = WRITES (4),
  [PR_GET_FPEMU] = WRITES (4),
  [PR_GET_FPEXC] = WRITES (4),
  [PR_GET_ENDIAN] = WRITES (4),
  [PR_GET_NAME] = WRITES (16),
  [PR_GET_CHILD_SUBREAPER] = WRITES (4),
  [PR_GET_TID_ADDRESS] = WRITES (8),
  [PR_SET_TSC] = ANSWER_EINVAL,
  [PR_SET_SECCOMP] = ANSWER_EINVAL,
  [PR_SET_MM] = ANSWER_EPERM,
  [PR_SET_SYSCALL_USER_DISPATCH] = ANSWER_EINVAL,
};

static gboolean
enter_prctl (SysCall *call, GError **error)
{
  int option = sys_int (call, 0);

  (void) error;
  if (option == PR_SET_DUMPABLE && call->args[1] <= 1)
    {
      call->state->dumpable = (int) call->args[1];
      return sys_answer (call, 0);
    }
  if (option == PR_GET_DUMPABLE)
    return sys_answer (call, call->state->dumpable);
  if (option == PR_SET_TSC && (call->args[1] == PR_TSC_ENABLE || call->args[1] == PR_TSC_SIGSEGV))
    {
      call->state->wants_tsc = call->args[1] == PR_TSC_SIGSEGV;
      return sys_answer (call, 0);
    }
  if (option == PR_SET_VMA || option == PR_GET_AUXV || option == PR_SET_PTRACER)
    return TRUE;
  if (option < 0 || option > NEWEST_KNOWN)
    return sys_answer (call, -EINVAL);
  switch (options[option])
    {
    case ANSWER_EINVAL:
      return sys_answer (call, -EINVAL);
    case ANSWER_EPERM:
      return sys_answer (call, -EPERM);
    default:
      return TRUE;
    }
}

/* The program shall not find the vdso, whose calls would not be seen.  */
static gboolean
leave_get_auxv (SysCall *call, Event *event, GError **error)
{
  guint64 length = MIN ((guint64) call->result, call->args[2]);
  Elf64_auxv_t entry;

  for (guint64 at = 0; at + sizeof entry <= length; at += sizeof entry)
    if (task_read_some (call->task, call->args[1] + at, &entry, sizeof entry) == sizeof entry
        && entry.a_type == AT_SYSINFO_EHDR)
      {
        entry.a_type = AT_IGNORE;
        if (!task_write (call->task, call->args[1] + at, &entry, sizeof entry, error))
          return FALSE;
      }
  sys_add_some (call, event, call->args[1], length);
  return TRUE;
}

static gboolean
leave_prctl (SysCall *call, Event *event, GError **error)
{
  int option = sys_int (call, 0);

  if (sys_failed (call))
    return TRUE;
  if (option == PR_GET_AUXV)
    return leave_get_auxv (call, event, error);
  if (option == PR_GET_TSC)
    {
      guint32 mode = call->state->wants_tsc ? PR_TSC_SIGSEGV : PR_TSC_ENABLE;
      if (!task_write (call->task, call->args[1], &mode, sizeof mode, error))
        return FALSE;
      sys_add_some (call, event, call->args[1], sizeof mode);
    }
  if (option == PR_SCHED_CORE)
    sys_add_some (call, event, call->args[4], 8);
  if (option >= 0 && option <= NEWEST_KNOWN && options[option] > 0)
    sys_add_some (call, event, call->args[1], (guint64) options[option]);
  return TRUE;
}

/* ---- arch_prctl ---- */

/* Its operations have no names in Debian 12's headers.  */
enum
{
  SET_GS = 0x1001,
  SET_FS,
  GET_FS,
  GET_GS,
  GET_CPUID = 0x1011,
  SET_CPUID,
  GET_XCOMP_SUPP = 0x1021,
  GET_XCOMP_PERM
};

#define XCOMP_AMX (3ull << 17)

static gboolean
enter_arch_prctl (SysCall *call, GError **error)
{
  SysState *state = call->state;

  (void) error;
  switch (sys_int (call, 0))
    {
    case SET_GS:
    case SET_FS:
    case GET_FS:
    case GET_GS:
    case GET_XCOMP_SUPP:
    case GET_XCOMP_PERM:
      return TRUE;
    case GET_CPUID:
      return sys_answer (call, !state->wants_cpuid);
    case SET_CPUID:
      if (!trapped_has_cpuid ())
        return sys_answer (call, -ENODEV);
      state->wants_cpuid = call->args[1] == 0;
      return sys_answer (call, 0);
    default:
      /* Shadow stacks, tagged addresses, AMX: a replay could not have them.  */
      return sys_answer (call, -EINVAL);
    }
}

static gboolean
leave_arch_prctl (SysCall *call, Event *event, GError **error)
{
  int operation = sys_int (call, 0);
  guint64 mask;

  if (sys_failed (call) || operation == SET_GS || operation == SET_FS)
    return TRUE;
  if ((operation == GET_XCOMP_SUPP || operation == GET_XCOMP_PERM)
      && task_read_some (call->task, call->args[1], &mask, sizeof mask) == sizeof mask && (mask & XCOMP_AMX) != 0)
    {
      mask &= ~XCOMP_AMX;
      if (!task_write (call->task, call->args[1], &mask, sizeof mask, error))
        return FALSE;
    }
  sys_add_some (call, event, call->args[1], sizeof mask);
  return TRUE;
}

gboolean
sys_wants_trap (const SysState *state, gboolean cpuid)
{
  return cpuid ? state->wants_cpuid : state->wants_tsc;
}

const SysNumbered sys_rows_prctl[] = {
  R (prctl, "dxxxx", .enter = enter_prctl, .leave = leave_prctl),
  R (arch_prctl, "xx", .enter = enter_arch_prctl, .leave = leave_arch_prctl),
  ROWS_END,
};
