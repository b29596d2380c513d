/* Calls on names: directories, attributes, links, mounts.  */

#include "sys/rows.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/vfs.h>

#define STAT_SIZE 144
#define STATFS_SIZE 120

/* struct file_handle grows with what the file system puts in it, and says
   its size even when the call fails with EOVERFLOW.  */
static gboolean
leave_name_to_handle_at (SysCall *call, Event *event, GError **error)
{
  guint32 bytes;

  (void) error;
  if (sys_failed (call) && call->result != -EOVERFLOW)
    return TRUE;
  if (task_read_some (call->task, call->args[2], &bytes, sizeof bytes) != sizeof bytes)
    return TRUE;
  sys_add_some (call, event, call->args[2], 8 + (sys_failed (call) ? 0 : MIN (bytes, 4096)));
  sys_add_some (call, event, call->args[3], 8);
  return TRUE;
}

/* sysfs (2, index, buffer): a file system's name.  */
static gboolean
leave_sysfs (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (!sys_failed (call) && sys_int (call, 0) == 2)
    sys_add_some (call, event, call->args[2], 256);
  return TRUE;
}

/* quotactl (cmd, special, id, addr) and quotactl_fd (fd, cmd, id, addr):
   no structure is larger than this.  */
static gboolean
leave_quotactl (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (!sys_failed (call))
    sys_add_some (call, event, call->args[3], 256);
  return TRUE;
}

/* getxattrat (dir, path, at_flags, name, args, size): a struct xattr_args
   with the buffer's address and size.  */
static gboolean
leave_getxattrat (SysCall *call, Event *event, GError **error)
{
  struct
  {
    guint64 value;
    guint32 size, flags;
  } args;

  (void) error;
  if (call->result > 0 && task_read_some (call->task, call->args[4], &args, sizeof args) == sizeof args)
    sys_add_some (call, event, args.value, MIN ((guint64) call->result, args.size));
  return TRUE;
}

const SysNumbered sys_rows_path[] = {
  R (stat, "sp", OUTS (BYTES (1, STAT_SIZE))),
  R (lstat, "sp", OUTS (BYTES (1, STAT_SIZE))),
  R (fstat, "fp", OUTS (BYTES (1, STAT_SIZE))),
  R (newfstatat, "fspx", OUTS (BYTES (2, STAT_SIZE))),
  R (statx, "fsxxp", OUTS (BYTES (4, sizeof (struct statx)))),
  R (statfs, "sp", OUTS (BYTES (1, STATFS_SIZE))),
  R (fstatfs, "fp", OUTS (BYTES (1, STATFS_SIZE))),
  R (ustat, "xp", OUTS (BYTES (1, 32))),
  R (sysfs, "dxp", .leave = leave_sysfs),
  R (statmount, "ppux", OUTS (COUNT (1, 2))),
  R (listmount, "ppux", OUTS (AT_MOST_OF (1, 2, 8))),
  R (listns, "ppux", OUTS (AT_MOST_OF (1, 2, 8))),
  R (getdents, "fpu", OUTS (AT_MOST (1, 2))),
  R (getdents64, "fpu", OUTS (AT_MOST (1, 2))),
  R (getcwd, "pu", OUTS (AT_MOST (0, 1))),
  R (readlink, "spu", OUTS (AT_MOST (1, 2))),
  R (readlinkat, "fspu", OUTS (AT_MOST (2, 3))),
  R (getxattr, "sspu", OUTS (AT_MOST (2, 3))),
  R (lgetxattr, "sspu", OUTS (AT_MOST (2, 3))),
  R (fgetxattr, "fspu", OUTS (AT_MOST (2, 3))),
  R (getxattrat, "fsxspu", .leave = leave_getxattrat),
  R (listxattr, "spu", OUTS (AT_MOST (1, 2))),
  R (llistxattr, "spu", OUTS (AT_MOST (1, 2))),
  R (flistxattr, "fpu", OUTS (AT_MOST (1, 2))),
  R (listxattrat, "fsxpu", OUTS (AT_MOST (3, 4))),
  R (setxattr, "sspux"),
  R (lsetxattr, "sspux"),
  R (fsetxattr, "fspux"),
  R (setxattrat, "fsxspu"),
  R (removexattr, "ss"),
  R (lremovexattr, "ss"),
  R (fremovexattr, "fs"),
  R (removexattrat, "fsxs"),
  R (file_getattr, "fspux", OUTS (COUNT (2, 3))),
  R (file_setattr, "fspux"),
  R (name_to_handle_at, "fsppx", .leave = leave_name_to_handle_at),
  R (access, "sx"),
  R (faccessat, "fsx"),
  R (faccessat2, "fsxx"),
  R (chdir, "s"),
  R (fchdir, "f"),
  R (chroot, "s"),
  R (rename, "ss"),
  R (renameat, "fsfs"),
  R (renameat2, "fsfsx"),
  R (mkdir, "so"),
  R (mkdirat, "fso"),
  R (rmdir, "s"),
  R (link, "ss"),
  R (linkat, "fsfsx"),
  R (unlink, "s"),
  R (unlinkat, "fsx"),
  R (symlink, "ss"),
  R (symlinkat, "sfs"),
  R (mknod, "sox"),
  R (mknodat, "fsox"),
  R (chmod, "so"),
  R (fchmod, "fo"),
  R (fchmodat, "fso"),
  R (fchmodat2, "fsox"),
  R (chown, "sdd"),
  R (fchown, "fdd"),
  R (lchown, "sdd"),
  R (fchownat, "fsddx"),
  R (umask, "o"),
  R (utime, "sp"),
  R (utimes, "sp"),
  R (futimesat, "fsp"),
  R (utimensat, "fspx"),
  R (mount, "sssxp"),
  R (umount2, "sx"),
  R (pivot_root, "ss"),
  R (open_tree, "fsx"),
  R (open_tree_attr, "fsxpu"),
  R (move_mount, "fsfsx"),
  R (fsopen, "sx"),
  R (fsconfig, "fxspd"),
  R (fsmount, "fxx"),
  R (fspick, "fsx"),
  R (mount_setattr, "fsxpu"),
  R (quotactl, "xsdp", .leave = leave_quotactl),
  R (quotactl_fd, "fxdp", .leave = leave_quotactl),
  R (swapon, "sx"),
  R (swapoff, "s"),
  R (acct, "s"),
  ROWS_END,
};
