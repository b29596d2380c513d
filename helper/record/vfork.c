/* Children that share our memory until they exec or exit.

   Running one in our memory would let it change what the log has no event
   for.  It gets a copy-on-write copy instead (CLONE_VM is taken out of the
   call), runs under our eyes while its parent waits in the kernel anyway,
   and just before it execs or exits the pages that it has written (those
   that only it maps by now) are compared with ours and copied over: the
   parent then sees every store as vfork promises, and the log has them as
   writes of the call.  No other thread runs meanwhile.  */

#include "record/internal.h"

#include "base/error.h"
#include "trace/trapped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_EXCLUSIVE (1ull << 56)

/* Copy the difference of one page of CHILD to T.  */
static gboolean
copy_page (Thread *t, const Task *child, Addr page, GArray *writes, GError **error)
{
  guint8 theirs[PAGE_SIZE_], ours[PAGE_SIZE_];

  if (task_read_some (child, page, theirs, sizeof theirs) != sizeof theirs
      || task_read_some (&t->task, page, ours, sizeof ours) != sizeof ours)
    return TRUE;
  for (gsize i = 0; i < sizeof ours;)
    {
      gsize end = i;

      while (end < sizeof ours && theirs[end] != ours[end])
        end++;
      if (end > i)
        {
          MemWrite write = { page + i, g_bytes_new (theirs + i, end - i) };

          g_array_append_val (writes, write);
          if (!task_write (&t->task, page + i, theirs + i, end - i, error))
            return FALSE;
        }
      i = end + 1;
    }
  return TRUE;
}

static gboolean
copy_range (Thread *t, const Task *child, int pagemap, Addr start, Addr end, GArray *writes, GError **error)
{
  guint64 entries[512];

  for (Addr at = start; at < end;)
    {
      gsize want = MIN (G_N_ELEMENTS (entries), (end - at) / PAGE_SIZE_);
      ssize_t n = pread (pagemap, entries, want * 8, (off_t) (at / PAGE_SIZE_ * 8));

      if (n <= 0)
        break;
      for (gsize i = 0; i < (gsize) n / 8; i++)
        if ((entries[i] & (PAGEMAP_PRESENT | PAGEMAP_EXCLUSIVE)) == (PAGEMAP_PRESENT | PAGEMAP_EXCLUSIVE)
            && !copy_page (t, child, at + i * PAGE_SIZE_, writes, error))
          return FALSE;
      at += (gsize) n / 8 * PAGE_SIZE_;
    }
  return TRUE;
}

static gboolean
copy_stores (Recorder *r, Thread *t, const Task *child, GArray *writes, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/pagemap", child->tid);
  int pagemap = open (path, O_RDONLY | O_CLOEXEC);
  gboolean ok = TRUE;

  if (pagemap < 0)
    return error_set_errno (error, "cannot open %s", path);
  for (guint i = 0; ok && i < r->space->maps->len; i++)
    {
      const Mapping *map = &g_array_index (r->space->maps, Mapping, i);

      if ((map->prot & 2) != 0 && (map->flags & MAP_SHARED_) == 0)
        ok = copy_range (t, child, pagemap, map->start, map->end, writes, error);
    }
  close (pagemap);
  return ok;
}

static gboolean
ends_sharing (guint64 nr)
{
  return nr == SYS_execve || nr == SYS_execveat || nr == SYS_exit || nr == SYS_exit_group;
}

/* One stop of the child.  *DONE_RET when it needs us no longer.  */
static gboolean
child_stopped (Recorder *r, Thread *t, Task *child, int status, GArray *writes, gboolean *done_ret, GError **error)
{
  int event = status >> 16, signo = WSTOPSIG (status), pass = 0;
  unsigned long message = 0;
  int grandchild;

  switch (event)
    {
    case PTRACE_EVENT_EXEC:
      *done_ret = TRUE;
      sched_setaffinity (child->tid, sizeof t->affinity, &t->affinity);
      if (ptrace (PTRACE_DETACH, child->tid, 0, 0) != 0 && errno != ESRCH)
        return error_set_errno (error, "cannot let child %d go", child->tid);
      return TRUE;
    case PTRACE_EVENT_EXIT:
      *done_ret = TRUE;
      if (ptrace (PTRACE_DETACH, child->tid, 0, 0) != 0 && errno != ESRCH)
        return error_set_errno (error, "cannot let child %d go", child->tid);
      return TRUE;
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
      if (ptrace (PTRACE_GETEVENTMSG, child->tid, 0, &message) == 0
          && waitpid ((pid_t) message, &grandchild, __WALL) == (pid_t) message && WIFSTOPPED (grandchild))
        {
          sched_setaffinity ((pid_t) message, sizeof t->affinity, &t->affinity);
          ptrace (PTRACE_DETACH, (pid_t) message, 0, 0);
        }
      break;
    case 0:
      if (signo == (SIGTRAP | 0x80))
        {
          struct __ptrace_syscall_info info;

          if (ptrace (PTRACE_GET_SYSCALL_INFO, child->tid, sizeof info, &info) > 0
              && info.op == PTRACE_SYSCALL_INFO_ENTRY && ends_sharing (info.entry.nr)
              && !copy_stores (r, t, child, writes, error))
            return FALSE;
        }
      else
        pass = signo;
      break;
    default:
      break;
    }
  return task_resume (child, PTRACE_SYSCALL, pass, error);
}

/* The child sees the registers of the call it thinks it made, and clean
   memory.  */
static gboolean
prepare_child (Recorder *r, Thread *t, Task *child, GError **error)
{
  Regs regs;

  if (!task_get_regs (child, &regs, error))
    return FALSE;
  regs.rdi = t->entry_regs.rdi;
  regs.rsi = t->entry_regs.rsi;
  regs.rdx = t->entry_regs.rdx;
  regs.r10 = t->entry_regs.r10;
  regs.r8 = t->entry_regs.r8;
  regs.r9 = t->entry_regs.r9;
  if (!task_set_regs (child, &regs, error) || !live_clean (r, child, error))
    return FALSE;
  if (t->call.nr == SYS_clone3)
    {
      guint64 flags;

      if (!task_read (child, t->call.args[0], &flags, sizeof flags, error))
        return FALSE;
      flags |= 0x100; /* CLONE_VM, as the program wrote it  */
      if (!task_write (child, t->call.args[0], &flags, sizeof flags, error)
          || !task_write (&t->task, t->call.args[0], &flags, sizeof flags, error))
        return FALSE;
    }
  return trapped_set (child, FALSE, log_header (r->log)->traps_cpuid, error);
}

gboolean
vfork_run_child (Recorder *r, Thread *t, pid_t pid, GArray *writes, GError **error)
{
  Task child = TASK_INIT;
  gboolean done = FALSE, ok;

  if (!task_init (&child, pid, error))
    return FALSE;
  child.syscall_insn = t->task.syscall_insn;
  r->has_vfork = TRUE;
  ok = prepare_child (r, t, &child, error) && task_resume (&child, PTRACE_SYSCALL, 0, error);
  while (ok && !done)
    {
      int status;
      pid_t got = waitpid (pid, &status, __WALL);

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0 || !WIFSTOPPED (status))
        break; /* killed  */
      ok = child_stopped (r, t, &child, status, writes, &done, error);
    }
  if (!ok && g_error_matches (*error, RETRO_ERROR, RETRO_ERROR_GONE))
    {
      g_clear_error (error);
      ok = TRUE;
    }
  r->has_vfork = FALSE;
  task_clear (&child);
  return ok;
}
