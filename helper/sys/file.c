/* Calls on open descriptors: reading, writing, moving data, opening and
   closing.

   Writes matter only when the file is also mapped (see mapped.h); for that
   the place written is the descriptor's position after the call, since
   O_APPEND makes the one before it meaningless.  */

#include "sys/mapped.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* The position of descriptor FD, from /proc.  */
static guint64
get_position (const SysCall *call, int fd)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/fdinfo/%d", call->task->tid, fd);
  g_autofree char *text = NULL;
  unsigned long long pos = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL) || sscanf (text, "pos: %llu", &pos) != 1)
    return 0;
  return pos;
}

/* /proc/PID/mem is the program's memory, if PID is the program; and if it
   is another, memory that has not changed is added.  */
static gboolean
is_memory (const SysCall *call, int fd)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", call->task->tid, fd);
  g_autofree char *link = g_file_read_link (path, NULL);

  return link != NULL && g_str_has_prefix (link, "/proc/") && g_str_has_suffix (link, "/mem");
}

static gboolean
leave_write (SysCall *call, Event *event, GError **error)
{
  SysState *state = call->state;

  if ((!state->watching && !state->mem_open) || call->result <= 0)
    return TRUE;
  if (state->mem_open && is_memory (call, sys_int (call, 0)))
    sys_add_some (call, event, get_position (call, sys_int (call, 0)) - (guint64) call->result,
                  (guint64) call->result);
  if (!state->watching)
    return TRUE;
  guint64 end = get_position (call, sys_int (call, 0));
  guint64 n = (guint64) call->result;
  return mapped_written (call, event, sys_int (call, 0), end > n ? end - n : 0, end, error);
}

static gboolean
leave_pwrite (SysCall *call, Event *event, GError **error)
{
  if (call->state->mem_open && call->result > 0 && is_memory (call, sys_int (call, 0)))
    sys_add_some (call, event, call->args[3], (guint64) call->result);
  if (!call->state->watching || call->result <= 0)
    return TRUE;
  /* With O_APPEND, Linux appends whatever the offset says; pwritev2 may
     use the position instead (offset -1).  */
  guint64 offset = call->args[3];
  g_autofree char *path = g_strdup_printf ("/proc/%d/fdinfo/%d", call->task->tid, sys_int (call, 0));
  g_autofree char *text = NULL;
  unsigned flags = O_APPEND;
  const char *line;

  if (g_file_get_contents (path, &text, NULL, NULL) && (line = strstr (text, "flags:")) != NULL)
    sscanf (line, "flags: %o", &flags);
  if ((flags & O_APPEND) || offset == G_MAXUINT64 || (call->nr == SYS_pwritev2 && call->args[5] != 0))
    return mapped_written (call, event, sys_int (call, 0), 0, G_MAXUINT64, error);
  return mapped_written (call, event, sys_int (call, 0), offset, offset + (guint64) call->result, error);
}

/* A call that changes descriptor args[FD] somewhere.  */
static gboolean
written_anywhere (SysCall *call, Event *event, int fd, GError **error)
{
  if (!call->state->watching || sys_failed (call))
    return TRUE;
  return mapped_written (call, event, sys_int (call, fd), 0, G_MAXUINT64, error);
}

static gboolean
leave_written_0 (SysCall *call, Event *event, GError **error)
{
  return written_anywhere (call, event, 0, error);
}

static gboolean
leave_written_2 (SysCall *call, Event *event, GError **error)
{
  return written_anywhere (call, event, 2, error);
}

static gboolean
leave_resized (SysCall *call, Event *event, GError **error)
{
  if (!call->state->watching || sys_failed (call))
    return TRUE;
  return mapped_written (call, event, sys_int (call, 0), 0, 0, error);
}

static gboolean
leave_fallocate (SysCall *call, Event *event, GError **error)
{
  guint64 from = 0, to = 0;

  if (!call->state->watching || sys_failed (call))
    return TRUE;
  if ((call->args[1] & ~(guint64) FALLOC_FL_KEEP_SIZE) != 0)
    {
      from = call->args[2];
      to = call->args[1] & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE) ? G_MAXUINT64
                                                                               : from + call->args[3];
    }
  return mapped_written (call, event, sys_int (call, 0), from, to, error);
}

static gboolean
leave_truncate (SysCall *call, Event *event, GError **error)
{
  if (call->state->files == NULL || sys_failed (call))
    return TRUE;
  return mapped_resized_path (call, event, call->args[0], error);
}

/* A new descriptor, opened with FLAGS.  */
static gboolean
opened (SysCall *call, Event *event, guint64 flags, GError **error)
{
  if (sys_failed (call) || (flags & O_PATH))
    return TRUE;
  if ((flags & O_ACCMODE) != O_RDONLY)
    {
      mapped_opened (call, (int) call->result);
      if (!call->state->mem_open && is_memory (call, (int) call->result))
        call->state->mem_open = TRUE;
    }
  if ((flags & O_TRUNC) && call->state->watching)
    return mapped_written (call, event, (int) call->result, 0, 0, error);
  return TRUE;
}

static gboolean
leave_open (SysCall *call, Event *event, GError **error)
{
  return opened (call, event, call->args[1], error);
}

static gboolean
leave_creat (SysCall *call, Event *event, GError **error)
{
  return opened (call, event, O_WRONLY | O_TRUNC, error);
}

static gboolean
leave_openat (SysCall *call, Event *event, GError **error)
{
  return opened (call, event, call->args[2], error);
}

static gboolean
leave_openat2 (SysCall *call, Event *event, GError **error)
{
  guint64 flags = 0;

  task_read_some (call->task, call->args[2], &flags, sizeof flags);
  return opened (call, event, flags, error);
}

static gboolean
leave_readv (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (call->result > 0)
    sys_add_iovecs (call, event, call->args[1], call->args[2], (guint64) call->result);
  return TRUE;
}

/* Remote buffers are added too: the process may be its own target.  */
static gboolean
leave_process_vm_writev (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (call->result > 0)
    sys_add_iovecs (call, event, call->args[3], call->args[4], (guint64) call->result);
  return TRUE;
}

/* A pipe's page may be "spliced" into user memory.  */
static gboolean
leave_vmsplice (SysCall *call, Event *event, GError **error)
{
  return leave_readv (call, event, error);
}

const SysNumbered sys_rows_file[] = {
  R (read, "fpu", BLOCKS, OUTS (AT_MOST (1, 2))),
  R (pread64, "fpul", BLOCKS, OUTS (AT_MOST (1, 2))),
  R (readv, "fpu", BLOCKS, .leave = leave_readv),
  R (preadv, "fpul", BLOCKS, .leave = leave_readv),
  R (preadv2, "fpulxx", BLOCKS, .leave = leave_readv),
  R (write, "fpu", BLOCKS, .leave = leave_write),
  R (pwrite64, "fpul", BLOCKS, .leave = leave_pwrite),
  R (writev, "fpu", BLOCKS, .leave = leave_write),
  R (pwritev, "fpul", BLOCKS, .leave = leave_pwrite),
  R (pwritev2, "fpulxx", BLOCKS, .leave = leave_pwrite),
  R (process_vm_readv, "dpupux", .leave = leave_readv),
  R (process_vm_writev, "dpupux", .leave = leave_process_vm_writev),
  R (open, "sxo", BLOCKS, .leave = leave_open),
  R (openat, "fsxo", BLOCKS, .leave = leave_openat),
  R (openat2, "fspu", BLOCKS, .leave = leave_openat2),
  R (creat, "so", BLOCKS, .leave = leave_creat),
  R (open_by_handle_at, "fpx", .leave = leave_openat),
  R (close, "f"),
  R (close_range, "uux"),
  R (dup, "f"),
  R (dup2, "ff"),
  R (dup3, "ffx"),
  R (lseek, "fld"),
  R (sendfile, "ffpu", BLOCKS, OUTS (BYTES (2, 8)), .leave = leave_written_0),
  R (splice, "fpfpux", BLOCKS, OUTS (BYTES (1, 8), BYTES (3, 8)), .leave = leave_written_2),
  R (tee, "ffux", BLOCKS),
  R (vmsplice, "fpux", BLOCKS, .leave = leave_vmsplice),
  R (copy_file_range, "fpfpux", OUTS (BYTES (1, 8), BYTES (3, 8)), .leave = leave_written_2),
  R (pipe, "p", OUTS (BYTES (0, 8))),
  R (pipe2, "px", OUTS (BYTES (0, 8))),
  R (fsync, "f"),
  R (fdatasync, "f"),
  R (sync, ""),
  R (syncfs, "f"),
  R (sync_file_range, "fllx"),
  R (readahead, "flu"),
  R (fadvise64, "fllx"),
  R (fallocate, "fxll", .leave = leave_fallocate),
  R (ftruncate, "fl", .leave = leave_resized),
  R (truncate, "sl", .leave = leave_truncate),
  R (flock, "fx", BLOCKS),
  R (memfd_create, "sx"),
  R (memfd_secret, "x", DENY (ENOSYS)),
  R (eventfd, "u"),
  R (eventfd2, "ux"),
  R (inotify_init, ""),
  R (inotify_init1, "x"),
  R (inotify_add_watch, "fsx"),
  R (inotify_rm_watch, "fd"),
  R (fanotify_init, "xx"),
  R (fanotify_mark, "fxxfs"),
  R (cachestat, "fppx", OUTS (BYTES (2, 40))),
  /* The kernel would write to memory at a time of its own choice.  */
  R (io_setup, "up", DENY (ENOSYS)),
  R (io_destroy, "x", DENY (ENOSYS)),
  R (io_submit, "xlp", DENY (ENOSYS)),
  R (io_cancel, "xpp", DENY (ENOSYS)),
  R (io_getevents, "xllpp", DENY (ENOSYS)),
  R (io_pgetevents, "xllppp", DENY (ENOSYS)),
  R (io_uring_setup, "up", DENY (ENOSYS)),
  R (io_uring_enter, "fuuxpu", DENY (ENOSYS)),
  R (io_uring_register, "fupu", DENY (ENOSYS)),
  R (userfaultfd, "x", DENY (ENOSYS)),
  ROWS_END,
};
