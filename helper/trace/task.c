/* Registers, memory and injected calls of a stopped tracee: see task.h.

   The extended state is read and written as NT_X86_XSTATE, whose size
   depends on the CPU; debug registers go through PTRACE_POKEUSER.  */

#include "trace/task.h"

#include "base/error.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* glibc has it as an enumerator of a different name in old headers.  */
#define GETSIGMASK 0x420a
#define SETSIGMASK 0x420b

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif
/* More signals than this are not pending for one thread before its trap.  */
#define PENDING_MAX 32

#define XSTATE_MAX 16384
#define XSTATE_BV 512
#define XSAVE_HEADER_END 576
#define PKRU_BIT (1u << 9)
#define PKRU_INIT 0x55555554u /* the kernel's, not the CPU's  */

gboolean
task_reopen (Task *t, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/mem", t->tid);

  if (t->mem_fd >= 0)
    close (t->mem_fd);
  t->mem_fd = open (path, O_RDWR | O_CLOEXEC);
  if (t->mem_fd < 0)
    return error_set_errno (error, "cannot open %s", path);
  return TRUE;
}

gboolean
task_init (Task *t, pid_t tid, GError **error)
{
  *t = (Task) TASK_INIT;
  t->tid = tid;
  return task_reopen (t, error);
}

void
task_clear (Task *t)
{
  if (t->mem_fd >= 0)
    close (t->mem_fd);
  *t = (Task) TASK_INIT;
}

void
task_kill (Task *t)
{
  int status;

  if (t->tid > 0 && kill (t->tid, SIGKILL) == 0)
    while (waitpid (t->tid, &status, __WALL) == t->tid && WIFSTOPPED (status))
      ptrace (PTRACE_CONT, t->tid, 0, 0);
  task_clear (t);
}

gboolean
task_get_regs (const Task *t, Regs *regs_ret, GError **error)
{
  if (ptrace (PTRACE_GETREGS, t->tid, 0, regs_ret) != 0)
    return error_set_errno (error, "cannot read registers of task %d", t->tid);
  return TRUE;
}

gboolean
task_set_regs (const Task *t, const Regs *regs, GError **error)
{
  if (ptrace (PTRACE_SETREGS, t->tid, 0, regs) != 0)
    return error_set_errno (error, "cannot set registers of task %d", t->tid);
  return TRUE;
}

/* Where the CPU keeps the protection keys' register in an XSAVE image; 0 if
   it has none.  */
static guint
pkru_offset (void)
{
  unsigned eax, ebx, ecx, edx;

  if (!__get_cpuid_count (0xd, 0, &eax, &ebx, &ecx, &edx) || (eax & PKRU_BIT) == 0
      || !__get_cpuid_count (0xd, 9, &eax, &ebx, &ecx, &edx))
    return 0;
  return ebx;
}

/* A task fresh from exec has the kernel's value in that register, but its
   image says that nothing is in use; set again as it is, it would make the
   value 0.  */
static void
add_pkru (guint8 *image, gsize length)
{
  const guint32 pkru = PKRU_INIT;
  guint64 present;
  guint offset;

  if (length < XSAVE_HEADER_END)
    return;
  memcpy (&present, image + XSTATE_BV, sizeof present);
  if (present != 0 || (offset = pkru_offset ()) < XSAVE_HEADER_END || offset + sizeof pkru > length)
    return;
  present = PKRU_BIT;
  memcpy (image + XSTATE_BV, &present, sizeof present);
  memcpy (image + offset, &pkru, sizeof pkru);
}

GBytes *
task_get_xstate (const Task *t, GError **error)
{
  guint8 buffer[XSTATE_MAX];
  struct iovec iov = { buffer, sizeof buffer };

  if (ptrace (PTRACE_GETREGSET, t->tid, NT_X86_XSTATE, &iov) != 0)
    {
      error_set_errno (error, "cannot read extended state of task %d", t->tid);
      return NULL;
    }
  add_pkru (buffer, iov.iov_len);
  return g_bytes_new (buffer, iov.iov_len);
}

gboolean
task_set_xstate (const Task *t, GBytes *xstate, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (xstate, &size);
  struct iovec iov = { (void *) data, size };

  if (ptrace (PTRACE_SETREGSET, t->tid, NT_X86_XSTATE, &iov) != 0)
    return error_set_errno (error, "cannot set extended state of task %d", t->tid);
  return TRUE;
}

gsize
task_read_some (const Task *t, Addr addr, void *buffer, gsize length)
{
  gsize done = 0;

  while (done < length)
    {
      ssize_t n = pread (t->mem_fd, (char *) buffer + done, length - done, (off_t) (addr + done));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      done += (gsize) n;
    }
  return done;
}

gboolean
task_read (const Task *t, Addr addr, void *buffer, gsize length, GError **error)
{
  gsize n = task_read_some (t, addr, buffer, length);

  if (n != length)
    return error_set (error, RETRO_ERROR_FAILED, "cannot read memory at 0x%" G_GINT64_MODIFIER "x", addr + n);
  return TRUE;
}

gboolean
task_write (const Task *t, Addr addr, const void *buffer, gsize length, GError **error)
{
  gsize done = 0;

  while (done < length)
    {
      ssize_t n = pwrite (t->mem_fd, (const char *) buffer + done, length - done, (off_t) (addr + done));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return error_set (error, RETRO_ERROR_FAILED, "cannot write memory at 0x%" G_GINT64_MODIFIER "x", addr + done);
      done += (gsize) n;
    }
  return TRUE;
}

char *
task_read_string (const Task *t, Addr addr, gsize max)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char chunk[256];

  while (text->len < max)
    {
      gsize want = MIN (sizeof chunk - (addr + text->len) % sizeof chunk, max - text->len);
      gsize got = task_read_some (t, addr + text->len, chunk, want);
      const char *end = memchr (chunk, 0, got);

      if (end != NULL)
        {
          g_string_append_len (text, chunk, end - chunk);
          return g_string_free (g_steal_pointer (&text), FALSE);
        }
      if (got < want)
        return NULL;
      g_string_append_len (text, chunk, (gssize) got);
    }
  return NULL;
}

gboolean
task_resume (const Task *t, int request, int sig, GError **error)
{
  if (ptrace ((enum __ptrace_request) request, t->tid, 0, (void *) (long) sig) != 0)
    return error_set_errno (error, "cannot resume task %d", t->tid);
  return TRUE;
}

/* Has TID run into a trap that it has not reported yet?  */
static gboolean
trap_is_due (pid_t tid)
{
  struct __ptrace_peeksiginfo_args args = { .off = 0, .flags = 0, .nr = PENDING_MAX };
  siginfo_t infos[PENDING_MAX];
  long n = ptrace (PTRACE_PEEKSIGINFO, tid, &args, infos);

  for (long i = 0; i < n; i++)
    if (infos[i].si_signo == SIGTRAP && infos[i].si_code > 0)
      return TRUE;
  return FALSE;
}

int
task_trap_first (pid_t tid, int status)
{
  int trap;
  pid_t pid;

  if (!WIFSTOPPED (status) || status >> 16 != PTRACE_EVENT_STOP || WSTOPSIG (status) != SIGTRAP || !trap_is_due (tid)
      || ptrace (PTRACE_CONT, tid, 0, 0) != 0)
    return status;
  do
    pid = waitpid (tid, &trap, __WALL);
  while (pid < 0 && errno == EINTR);
  return pid == tid ? trap : status;
}

gboolean
task_wait (const Task *t, int *status_ret, GError **error)
{
  pid_t pid;

  do
    pid = waitpid (t->tid, status_ret, __WALL);
  while (pid < 0 && errno == EINTR);
  if (pid < 0)
    return error_set_errno (error, "cannot wait for task %d", t->tid);
  *status_ret = task_trap_first (t->tid, *status_ret);
  if (!WIFSTOPPED (*status_ret))
    return error_set (error, RETRO_ERROR_GONE, "task %d died (status 0x%x)", t->tid, (unsigned) *status_ret);
  return TRUE;
}

gboolean
task_step (const Task *t, int *status_ret, GError **error)
{
  return task_resume (t, PTRACE_SINGLESTEP, 0, error) && task_wait (t, status_ret, error);
}

/* Wait for the new task CHILD's first stop.  */
static gboolean
await_child (pid_t child, GError **error)
{
  Task task = { .tid = child, .mem_fd = -1 };
  int status;

  return task_wait (&task, &status, error);
}

/* The single steps of an injected call, until the pc is behind INSN.  Twice
   as many stops as usual come after a PTRACE_SYSEMU stop, whose own exit
   is reported first.  */
static gboolean
run_injected (Task *t, Addr insn, Regs *regs_ret, pid_t *child_ret, GError **error)
{
  for (int tries = 0; tries < 8; tries++)
    {
      int status;

      if (!task_step (t, &status, error))
        return FALSE;
      int event = status >> 16;
      if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK)
        {
          unsigned long child = 0;

          if (ptrace (PTRACE_GETEVENTMSG, t->tid, 0, &child) != 0)
            return error_set_errno (error, "cannot learn of a new task");
          if (!await_child ((pid_t) child, error))
            return FALSE;
          if (child_ret == NULL)
            return error_set (error, RETRO_ERROR_FAILED, "an injected call made an unexpected task");
          *child_ret = (pid_t) child;
        }
      else if (event == PTRACE_EVENT_EXIT)
        return error_set (error, RETRO_ERROR_GONE, "task %d is exiting", t->tid);
      if (!task_get_regs (t, regs_ret, error))
        return FALSE;
      if (regs_ret->rip == insn + 2 && event == 0 && WSTOPSIG (status) == SIGTRAP)
        return TRUE;
    }
  return error_set (error, RETRO_ERROR_FAILED, "an injected call did not return");
}

gboolean
task_get_mask (const Task *t, guint64 *mask_ret, GError **error)
{
  if (ptrace ((enum __ptrace_request) GETSIGMASK, t->tid, sizeof *mask_ret, mask_ret) != 0)
    return error_set_errno (error, "cannot read the signal mask of task %d", t->tid);
  return TRUE;
}

gboolean
task_set_mask (const Task *t, guint64 mask, GError **error)
{
  if (ptrace ((enum __ptrace_request) SETSIGMASK, t->tid, sizeof mask, &mask) != 0)
    return error_set_errno (error, "cannot set the signal mask of task %d", t->tid);
  return TRUE;
}

gboolean
task_inject (Task *t, long nr, const guint64 args[6], gint64 *result_ret, pid_t *child_ret, GError **error)
{
  guint64 mask = 0;
  Regs saved, regs;

  g_assert (t->syscall_insn != 0);
  if (!task_get_regs (t, &saved, error) || !task_get_mask (t, &mask, error) || !task_set_mask (t, ~0ull, error))
    return FALSE;
  regs = saved;
  regs.rip = t->syscall_insn;
  regs.rax = (unsigned long long) nr;
  regs.orig_rax = ~0ull; /* no restart of the call it may have stopped in  */
  regs.rdi = args[0];
  regs.rsi = args[1];
  regs.rdx = args[2];
  regs.r10 = args[3];
  regs.r8 = args[4];
  regs.r9 = args[5];
  if (!task_set_regs (t, &regs, error) || !run_injected (t, t->syscall_insn, &regs, child_ret, error))
    return FALSE;
  *result_ret = (gint64) regs.rax;
  return task_set_regs (t, &saved, error) && task_set_mask (t, mask, error);
}

gboolean
task_get_siginfo (const Task *t, siginfo_t *info_ret, GError **error)
{
  memset (info_ret, 0, sizeof *info_ret);
  if (ptrace (PTRACE_GETSIGINFO, t->tid, 0, info_ret) != 0)
    return error_set_errno (error, "cannot read siginfo of task %d", t->tid);
  return TRUE;
}

static gboolean
peek_debug (const Task *t, int n, unsigned long *value_ret, GError **error)
{
  errno = 0;
  long value = ptrace (PTRACE_PEEKUSER, t->tid, offsetof (struct user, u_debugreg) + 8 * (gsize) n, 0);
  if (errno != 0)
    return error_set_errno (error, "cannot read debug register %d", n);
  *value_ret = (unsigned long) value;
  return TRUE;
}

static gboolean
poke_debug (const Task *t, int n, unsigned long value, GError **error)
{
  if (ptrace (PTRACE_POKEUSER, t->tid, offsetof (struct user, u_debugreg) + 8 * (gsize) n, value) != 0)
    return error_set_errno (error, "cannot set debug register %d", n);
  return TRUE;
}

gboolean
task_clear_debug (const Task *t, int slot, GError **error)
{
  unsigned long control = 0;

  if (!peek_debug (t, 7, &control, error))
    return FALSE;
  if ((control & (3ul << (2 * slot))) == 0)
    return TRUE;
  control &= ~((3ul << (2 * slot)) | (15ul << (16 + 4 * slot)));
  return poke_debug (t, 7, control, error);
}

gboolean
task_set_debug (const Task *t, int slot, Addr addr, int type, int length, GError **error)
{
  static const unsigned long length_bits[] = { [1] = 0, [2] = 1, [4] = 3, [8] = 2 };
  unsigned long control = 0;

  g_assert (slot >= 0 && slot < 4 && (length == 1 || length == 2 || length == 4 || length == 8));
  if (!task_clear_debug (t, slot, error) || !poke_debug (t, slot, addr, error) || !peek_debug (t, 7, &control, error))
    return FALSE;
  control |= 1ul << (2 * slot);
  control |= ((unsigned long) type | (length_bits[length] << 2)) << (16 + 4 * slot);
  return poke_debug (t, 7, control, error);
}

gboolean
task_debug_hits (const Task *t, unsigned *slots_ret, GError **error)
{
  unsigned long status = 0;

  if (!peek_debug (t, 6, &status, error))
    return FALSE;
  *slots_ret = (unsigned) (status & 15);
  return *slots_ret == 0 || poke_debug (t, 6, 0, error);
}
