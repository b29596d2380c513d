/* An empty process for a replay: nothing in it but the arena.

   It is a fork of the helper and not a program of its own, so nothing has
   to be found on disk; everything inherited is then taken away:

     - descriptors, session, signal handlers and mask, core dumps;
     - what glibc told the kernel of its memory: rseq above all (the kernel
       writes there whenever the task was preempted, and kills it when it
       cannot), the robust list and the word that is cleared at exit;
     - all memory, by two munmaps from the arena's stub.

   The child runs only calls that are safe after a fork.  It dies with the
   helper by PTRACE_O_EXITKILL.  */

#include "replay/private.h"

#include "base/error.h"
#include "trace/trapped.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RSEQ_SIGNATURE 0x53053053

/* The XSAVE image.  */
#define LEGACY_MXCSR 24
#define SW_BYTES 464
#define LEGACY_SIZE 512
#define XSAVE_HEADER_END 576

/* The stub page: "syscall; int3".  */
static const guint8 stub_code[] = { 0x0f, 0x05, 0xcc };

typedef struct
{
  Addr addr;
  gsize size;
  int prot;
} ArenaPart;

static const ArenaPart arena_parts[] = {
  { ARENA_STUB, PAGE_SIZE_, PROT_READ | PROT_EXEC },
  { ARENA_SCRATCH, ARENA_SCRATCH_SIZE, PROT_READ | PROT_WRITE },
  { ARENA_STATE, ARENA_STATE_SIZE, PROT_READ | PROT_WRITE },
};

static void
forget_libc (void)
{
  char *thread_pointer = __builtin_thread_pointer ();

  if (__rseq_size != 0)
    syscall (SYS_rseq, thread_pointer + __rseq_offset, 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIGNATURE);
  syscall (SYS_set_robust_list, NULL, 3 * sizeof (long));
  syscall (SYS_set_tid_address, NULL);
}

static void
reset_signals (void)
{
  struct sigaction action = { .sa_handler = SIG_DFL };
  sigset_t none;

  for (int i = 1; i < NSIG; i++)
    sigaction (i, &action, NULL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

static gboolean
make_stub (void)
{
  void *stub = mmap ((void *) ARENA_STUB, PAGE_SIZE_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

  if (stub != (void *) ARENA_STUB)
    return FALSE;
  memcpy (stub, stub_code, sizeof stub_code);
  return mprotect (stub, PAGE_SIZE_, PROT_READ | PROT_EXEC) == 0;
}

static void G_GNUC_NORETURN
child_main (gboolean cpuid)
{
  struct rlimit no_core = { 0, 0 };

  setsid ();
  reset_signals ();
  setrlimit (RLIMIT_CORE, &no_core);
  prctl (PR_SET_NAME, "retro-replay");
  forget_libc ();
  close_range (0, ~0u, 0);
  trapped_set_own (cpuid);
  if (!make_stub () || ptrace (PTRACE_TRACEME, 0, 0, 0) != 0)
    _exit (1);
  kill (getpid (), SIGSTOP);
  _exit (2);
}

/* Unmap all but the arena.  */
static gboolean
unmap_rest (Task *task, GError **error)
{
  const guint64 below[6] = { 0, ARENA_BASE };
  const guint64 above[6] = { ARENA_BASE + ARENA_SIZE, USER_END - ARENA_BASE - ARENA_SIZE };

  return replay_inject (task, "munmap", SYS_munmap, below, NULL, error)
         && replay_inject (task, "munmap", SYS_munmap, above, NULL, error);
}

/* All extended state to its initial values: the helper's is not the
   program's.  */
static gboolean
reset_xstate (Task *task, GError **error)
{
  g_autoptr (GBytes) old = task_get_xstate (task, error);

  if (old == NULL)
    return FALSE;

  gsize size = g_bytes_get_size (old);
  g_autofree guint8 *image = g_malloc0 (size);
  const guint16 control = 0x37f;
  const guint32 mxcsr = 0x1f80;

  g_assert (size > XSAVE_HEADER_END);
  memcpy (image, &control, sizeof control);
  memcpy (image + LEGACY_MXCSR, &mxcsr, sizeof mxcsr);
  memcpy (image + SW_BYTES, (const guint8 *) g_bytes_get_data (old, NULL) + SW_BYTES, LEGACY_SIZE - SW_BYTES);

  g_autoptr (GBytes) fresh = g_bytes_new (image, size);

  return task_set_xstate (task, fresh, error);
}

gboolean
replay_map_arena (Task *task, GError **error)
{
  gboolean has_stub = task->syscall_insn == ARENA_STUB;

  for (gsize i = has_stub ? 1 : 0; i < G_N_ELEMENTS (arena_parts); i++)
    {
      const ArenaPart *part = &arena_parts[i];
      const guint64 args[6]
        = { part->addr, part->size, (guint64) part->prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, ~0ull, 0 };

      if (!replay_inject (task, "mmap", SYS_mmap, args, NULL, error))
        return FALSE;
      if (part->addr == ARENA_STUB && !task_write (task, ARENA_STUB, stub_code, sizeof stub_code, error))
        return FALSE;
    }
  task->syscall_insn = ARENA_STUB;
  return TRUE;
}

gboolean
replay_map_cache (Replay *replay, GError **error)
{
  int fd;

  if (replay->cache_mapped)
    return TRUE;
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd/%d", getpid (), ticks_cache_fd (replay->root->ticks));

  if (!replay_inject_open (&replay->task, path, &fd, error))
    return FALSE;

  const guint64 map_args[6]
    = { ARENA_CACHE, ARENA_CACHE_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, (guint64) fd, 0 };
  const guint64 close_args[6] = { (guint64) fd };

  if (!replay_inject (&replay->task, "mmap", SYS_mmap, map_args, NULL, error)
      || !replay_inject (&replay->task, "close", SYS_close, close_args, NULL, error))
    return FALSE;
  replay->cache_mapped = TRUE;
  replay->entered = FALSE;
  return TRUE;
}

gboolean
replay_spawn (Task *task, gboolean cpuid, GError **error)
{
  int status;
  pid_t pid = fork ();

  if (pid < 0)
    return error_set_errno (error, "cannot make a process for the replay");
  if (pid == 0)
    child_main (cpuid);
  if (waitpid (pid, &status, 0) != pid || !WIFSTOPPED (status) || WSTOPSIG (status) != SIGSTOP)
    return error_set (error, RETRO_ERROR_FAILED, "cannot prepare a process for the replay (status 0x%x)",
                      (unsigned) status);
  if (!task_init (task, pid, error))
    {
      kill (pid, SIGKILL);
      waitpid (pid, &status, __WALL);
      return FALSE;
    }
  if (ptrace (PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0)
    return error_set_errno (error, "cannot trace the replay's process");
  task->syscall_insn = ARENA_STUB;
  return unmap_rest (task, error) && reset_xstate (task, error) && replay_map_arena (task, error);
}
