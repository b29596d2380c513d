/* What fits nowhere else: the system as a whole, keys, modules, and the
   calls that x86-64 never had or no longer has.  */

#include "sys/rows.h"

#include <linux/keyctl.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>


/* Commands that fill a buffer (argument 2) of a given length (argument 3)
   and return how long it should have been.  */
static gboolean
leave_keyctl (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (sys_failed (call))
    return TRUE;
  switch (sys_int (call, 0))
    {
    case KEYCTL_READ:
    case KEYCTL_DESCRIBE:
    case KEYCTL_GET_SECURITY:
    case KEYCTL_DH_COMPUTE:
      sys_add_some (call, event, call->args[2], MIN ((guint64) call->result, call->args[3]));
      break;
    case KEYCTL_CAPABILITIES:
      sys_add_some (call, event, call->args[1], MIN ((guint64) call->result, call->args[2]));
      break;
    case KEYCTL_PKEY_QUERY:
      sys_add_some (call, event, call->args[4], sizeof (struct keyctl_pkey_query));
      break;
    case KEYCTL_PKEY_ENCRYPT:
    case KEYCTL_PKEY_DECRYPT:
    case KEYCTL_PKEY_SIGN:
      sys_add_some (call, event, call->args[4], (guint64) call->result);
      break;
    default:
      break;
    }
  return TRUE;
}

/* lsm_get_self_attr (attr, ctx, size, flags): *size bytes, also said when
   they do not fit.  */
static gboolean
leave_lsm_get_self_attr (SysCall *call, Event *event, GError **error)
{
  guint32 size;

  (void) error;
  sys_add_some (call, event, call->args[2], 4);
  if (!sys_failed (call) && task_read_some (call->task, call->args[2], &size, sizeof size) == sizeof size)
    sys_add_some (call, event, call->args[1], size);
  return TRUE;
}

static gboolean
leave_lsm_list_modules (SysCall *call, Event *event, GError **error)
{
  (void) error;
  sys_add_some (call, event, call->args[1], 4);
  if (call->result > 0)
    sys_add_some (call, event, call->args[0], (guint64) call->result * 8);
  return TRUE;
}

const SysNumbered sys_rows_misc[] = {
  R (uname, "p", OUTS (BYTES (0, sizeof (struct utsname)))),
  R (sysinfo, "p", OUTS (BYTES (0, sizeof (struct sysinfo)))),
  R (syslog, "dpd", BLOCKS, OUTS (AT_MOST (1, 2))),
  R (sethostname, "pu"),
  R (setdomainname, "pu"),
  R (getrandom, "pux", BLOCKS, OUTS (AT_MOST (0, 1))),
  R (add_key, "sspud"),
  R (request_key, "sssd"),
  R (keyctl, "dxxxx", .leave = leave_keyctl),
  R (landlock_create_ruleset, "pux"),
  R (landlock_add_rule, "fxpx"),
  R (landlock_restrict_self, "fx"),
  R (lsm_get_self_attr, "xppx", .leave = leave_lsm_get_self_attr),
  R (lsm_set_self_attr, "xpux"),
  R (lsm_list_modules, "ppx", .leave = leave_lsm_list_modules),
  R (bpf, "xpu", DENY (EPERM)),
  R (perf_event_open, "pddfx", DENY (ENOENT)),
  R (iopl, "d", DENY (EPERM)),
  R (ioperm, "xxd", DENY (EPERM)),
  R (modify_ldt, "dpu", DENY (ENOSYS)),
  R (reboot, "xxxp"),
  R (vhangup, ""),
  R (init_module, "pus"),
  R (finit_module, "fsx"),
  R (delete_module, "sx"),
  R (kexec_load, "xupx"),
  R (kexec_file_load, "ffusx"),
  R (uretprobe, "", DENY (ENOSYS)),
  R (uprobe, "", DENY (ENOSYS)),
  R (lookup_dcookie, "xpu", DENY (ENOSYS)),
  R (uselib, "s", DENY (ENOSYS)),
  R (_sysctl, "p", DENY (ENOSYS)),
  R (create_module, "su", DENY (ENOSYS)),
  R (get_kernel_syms, "p", DENY (ENOSYS)),
  R (query_module, "sxpup", DENY (ENOSYS)),
  R (nfsservctl, "dpp", DENY (ENOSYS)),
  R (getpmsg, "", DENY (ENOSYS)),
  R (putpmsg, "", DENY (ENOSYS)),
  R (afs_syscall, "", DENY (ENOSYS)),
  R (tuxcall, "", DENY (ENOSYS)),
  R (security, "", DENY (ENOSYS)),
  R (vserver, "", DENY (ENOSYS)),
  R (set_thread_area, "p", DENY (ENOSYS)),
  R (get_thread_area, "p", DENY (ENOSYS)),
  ROWS_END,
};
