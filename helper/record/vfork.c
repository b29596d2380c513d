/* Children that share our memory until they exec or exit.

   Running one in our memory would let it change what the log has no event
   for.  It gets a copy-on-write copy instead (CLONE_VM is taken out of the
   call), runs under our eyes while its parent waits in the kernel anyway,
   and just before it execs or exits the pages that it has written (those
   that only it maps by now) are compared with ours and copied over: the
   parent then sees every store as vfork promises, and the log has them as
   writes of the call.

   No other thread runs meanwhile, but the kernel may fill the buffer of one
   that sleeps in a call.  So that this is not taken back, the child's pages
   are compared with what they were before its birth if there is such a thread:
   a copy of the program, which never runs, keeps that.  */

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

typedef struct
{
  Thread *t;
  Task child;
  const Task *base; /* the program before the child's birth, or the parent itself  */
  GArray *writes; /* of MemWrite  */
} Vfork;

/* Copy the difference of one page of the child to its parent.  */
static gboolean
copy_page (Vfork *v, Addr page, GError **error)
{
  guint8 theirs[PAGE_SIZE_], before[PAGE_SIZE_];

  if (task_read_some (&v->child, page, theirs, sizeof theirs) != sizeof theirs
      || task_read_some (v->base, page, before, sizeof before) != sizeof before)
    return TRUE;
  for (gsize i = 0; i < sizeof theirs;)
    {
      gsize end = i;

      while (end < sizeof theirs && theirs[end] != before[end])
        end++;
      if (end > i)
        {
          MemWrite write = { page + i, g_bytes_new (theirs + i, end - i) };

          g_array_append_val (v->writes, write);
          if (!task_write (&v->t->task, page + i, theirs + i, end - i, error))
            return FALSE;
        }
      i = end + 1;
    }
  return TRUE;
}

static gboolean
copy_range (Vfork *v, int pagemap, Addr start, Addr end, GError **error)
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
            && !copy_page (v, at + i * PAGE_SIZE_, error))
          return FALSE;
      at += (gsize) n / 8 * PAGE_SIZE_;
    }
  return TRUE;
}

static gboolean
copy_stores (Recorder *r, Vfork *v, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/pagemap", v->child.tid);
  int pagemap = open (path, O_RDONLY | O_CLOEXEC);
  gboolean ok = TRUE;

  if (pagemap < 0)
    return error_set_errno (error, "cannot open %s", path);
  for (guint i = 0; ok && i < r->space->maps->len; i++)
    {
      const Mapping *map = &g_array_index (r->space->maps, Mapping, i);

      if ((map->prot & 2) != 0 && (map->flags & MAP_SHARED_) == 0)
        ok = copy_range (v, pagemap, map->start, map->end, error);
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
child_stopped (Recorder *r, Vfork *v, int status, gboolean *done_ret, GError **error)
{
  const Thread *t = v->t;
  const Task *child = &v->child;
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
              && !copy_stores (r, v, error))
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

/* May the kernel write to the parent's memory while the child runs?  */
static gboolean
other_in_call (const Recorder *r, const Thread *t)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      const Thread *other = r->threads->pdata[i];

      if (other != t && other->state == THREAD_IN_CALL)
        return TRUE;
    }
  return FALSE;
}

gboolean
vfork_prepare (Recorder *r, Thread *t, gboolean *again_ret, GError **error)
{
  Regs regs;
  gboolean left;

  *again_ret = FALSE;
  if (t->vfork_base.tid != 0 || !other_in_call (r, t))
    return TRUE;
  *again_ret = TRUE;
  if (!call_cancel (r, t, &regs, &left, error) || !left)
    return left;
  return copy_process (t, &t->vfork_base, error) && thread_resume (r, t, PTRACE_SYSCALL, 0, error);
}

gboolean
vfork_run_child (Recorder *r, Thread *t, pid_t pid, GArray *writes, GError **error)
{
  Vfork v = { .t = t, .child = TASK_INIT, .writes = writes };
  gboolean done = FALSE, ok;

  if (!task_init (&v.child, pid, error))
    return FALSE;
  v.child.syscall_insn = t->task.syscall_insn;
  v.base = t->vfork_base.tid != 0 ? &t->vfork_base : &t->task;
  r->has_vfork = TRUE;
  ok = prepare_child (r, t, &v.child, error) && task_resume (&v.child, PTRACE_SYSCALL, 0, error);
  while (ok && !done)
    {
      int status;
      pid_t got = waitpid (pid, &status, __WALL);

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0 || !WIFSTOPPED (status))
        break; /* killed  */
      ok = child_stopped (r, &v, status, &done, error);
    }
  if (!ok && g_error_matches (*error, RETRO_ERROR, RETRO_ERROR_GONE))
    {
      g_clear_error (error);
      ok = TRUE;
    }
  r->has_vfork = FALSE;
  task_kill (&t->vfork_base);
  task_clear (&v.child);
  return ok;
}
