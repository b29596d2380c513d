/* Diversions: a throw-away copy of here, to be written to and run in.

   A diversion has left history: no log tells it what the kernel would say,
   and nothing it does may be felt outside.  So it runs one thread, in
   ticks_run, and every system call is answered here: memory calls are
   performed in the copy, output goes to the terminal, questions about time
   and identity are answered, and a lock that is free is free.  Whatever
   would wait, or reach the world, ends the run.  */

#include "timeline/private.h"

#include "base/error.h"
#include "sys/sys.h"
#include "ticks/step.h"
#include "trace/trapped.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

gboolean
session_divert (Session *session, GError **error)
{
  Place *copy;

  if (session->history != NULL)
    return error_set (error, RETRO_ERROR_USAGE, "this is a diversion already");
  copy = place_copy (session->here, error);
  if (copy == NULL)
    return FALSE;
  session->history = session->here;
  session->here = copy;
  session->asked = TRUE;
  return TRUE;
}

gboolean
session_end_diversion (Session *session, GError **error)
{
  if (session->history == NULL)
    return error_set (error, RETRO_ERROR_USAGE, "there is no diversion to end");
  place_free (session->here);
  session->here = g_steal_pointer (&session->history);
  session->asked = FALSE;
  return TRUE;
}

/* --- Writes --- */

/* Be in a diversion, one of our own if need be.  */
static gboolean
ensure_diverted (Session *session, GError **error)
{
  if (session->history != NULL)
    return TRUE;
  if (!session_divert (session, error))
    return FALSE;
  session->asked = FALSE;
  return TRUE;
}

gboolean
session_write (Session *session, Addr addr, const void *buffer, gsize length, GError **error)
{
  if (length == 0)
    return TRUE;
  if (session_is_live (session) && session_at_frontier (session))
    return recorder_poke (session->recorder, addr, buffer, length, error) && place_next (session->here, error);
  return ensure_diverted (session, error) && replay_poke (session->here->replay, addr, buffer, length, error);
}

gboolean
session_set_regs (Session *session, ThreadNo thread, const Regs *regs, GError **error)
{
  return ensure_diverted (session, error) && replay_set_regs (session->here->replay, thread, regs, error);
}

gboolean
session_set_xstate (Session *session, ThreadNo thread, GBytes *xstate, GError **error)
{
  return ensure_diverted (session, error) && replay_set_xstate (session->here->replay, thread, xstate, error);
}

gboolean
session_poke_regs (Session *session, ThreadNo thread, const Regs *regs, GBytes *xstate, GError **error)
{
  if (!session_is_live (session) || !session_at_frontier (session))
    return error_set (error, RETRO_ERROR_USAGE, "registers can be changed for good at the present only");
  return recorder_poke_regs (session->recorder, thread, regs, xstate, error) && place_next (session->here, error);
}

/* --- System calls of a diversion --- */

typedef struct
{
  Session *session;
  Replay *replay;
  ThreadNo thread;
  guint64 args[6];
  Stop *stop;
  gboolean stopped;
} Call;

typedef gint64 (*Answer) (Call *call);

static gint64
put (Call *call, Addr addr, const void *data, gsize length)
{
  if (addr == 0)
    return 0;
  return replay_poke (call->replay, addr, data, length, NULL) ? 0 : -EFAULT;
}

static gint64
answer_zero (Call *call)
{
  (void) call;
  return 0;
}

static gint64
answer_tid (Call *call)
{
  return session_tid (call->session, call->thread);
}

static gint64
answer_pid (Call *call)
{
  return call->session->pid;
}

static gint64
answer_uid (Call *call)
{
  (void) call;
  return getuid ();
}

static gint64
answer_gid (Call *call)
{
  (void) call;
  return getgid ();
}

static gint64
write_out (Call *call, Addr addr, gsize length)
{
  g_autofree guint8 *buffer = g_malloc (MIN (length, 1u << 20));
  gsize got = session_read (call->session, addr, buffer, MIN (length, 1u << 20));

  if (got == 0 && length != 0)
    return -EFAULT;
  /* Not to standard output, which may be GDB's connection.  */
  return write (STDERR_FILENO, buffer, got);
}

static gint64
answer_write (Call *call)
{
  if (call->args[0] != 1 && call->args[0] != 2)
    return -EBADF;
  return write_out (call, call->args[1], call->args[2]);
}

static gint64
answer_writev (Call *call)
{
  gint64 sum = 0;

  if (call->args[0] != 1 && call->args[0] != 2)
    return -EBADF;
  for (guint64 i = 0; i < MIN (call->args[2], 1024); i++)
    {
      guint64 piece[2];
      gint64 n;

      if (session_read (call->session, call->args[1] + 16 * i, piece, sizeof piece) != sizeof piece)
        return -EFAULT;
      n = write_out (call, piece[0], piece[1]);
      if (n < 0)
        return n;
      sum += n;
    }
  return sum;
}

static gint64
answer_clock (Call *call)
{
  struct timespec now;

  if (clock_gettime ((clockid_t) call->args[0], &now) != 0)
    return -EINVAL;
  return put (call, call->args[1], &now, sizeof now);
}

static gint64
answer_timeofday (Call *call)
{
  struct timeval now;

  gettimeofday (&now, NULL);
  return put (call, call->args[0], &now, sizeof now);
}

static gint64
answer_time (Call *call)
{
  time_t now = time (NULL);

  put (call, call->args[0], &now, sizeof now);
  return now;
}

static gint64
answer_random (Call *call)
{
  guint8 buffer[256];
  ssize_t n = getrandom (buffer, MIN (call->args[1], sizeof buffer), 0);

  if (n < 0)
    return -EAGAIN;
  return put (call, call->args[0], buffer, (gsize) n) == 0 ? n : -EFAULT;
}

/* Wakes nobody; waiting for others would be for ever.  */
static gint64
answer_futex (Call *call)
{
  gint64 operation = call->args[1] & 0x7f;

  if (operation == 1 || operation == 10 || operation == 3 || operation == 4 || operation == 5)
    return 0;
  call->stopped = TRUE;
  call->stop->kind = STOP_ERROR;
  return 0;
}

/* The old mask, and no other effect.  */
static gint64
answer_sigmask (Call *call)
{
  const guint64 none = 0;

  return put (call, call->args[2], &none, sizeof none);
}

/* Descriptors are terminals, whatever they are.  */
static gint64
answer_fstat (Call *call)
{
  struct stat info = { .st_mode = S_IFCHR | 0620, .st_blksize = 1024 };

  return put (call, call->args[1], &info, sizeof info);
}

static gint64
answer_newfstatat (Call *call)
{
  struct stat info = { .st_mode = S_IFCHR | 0620, .st_blksize = 1024 };
  guint8 first = 1;

  session_read (call->session, call->args[1], &first, 1);
  return first == 0 ? put (call, call->args[2], &info, sizeof info) : -ENOENT;
}

static gint64
answer_notty (Call *call)
{
  (void) call;
  return -ENOTTY;
}

static gint64
answer_pipe (Call *call)
{
  (void) call;
  return -ESPIPE;
}

static gint64
answer_exit (Call *call)
{
  call->stopped = TRUE;
  call->stop->kind = STOP_EXITED;
  call->stop->status = (int) (call->args[0] & 0xff);
  return 0;
}

static gint64
stop_with_signal (Call *call, int signo)
{
  call->stopped = TRUE;
  call->stop->kind = STOP_SIGNAL;
  call->stop->signo = signo;
  return 0;
}

static gint64
answer_kill (Call *call)
{
  return stop_with_signal (call, (int) call->args[1]);
}

static gint64
answer_tgkill (Call *call)
{
  return stop_with_signal (call, (int) call->args[2]);
}

/* --- Memory calls --- */

static gint64
change_map (Call *call, MapOpKind kind, guint32 prot)
{
  const MapOp op = { .kind = kind, .addr = call->args[0], .length = PAGE_UP (call->args[1]), .prot = prot,
                     .file = NO_FILE };

  if (call->args[0] % PAGE_SIZE_ != 0 || call->args[1] == 0)
    return -EINVAL;
  return replay_poke_map (call->replay, &op, NULL) ? 0 : -ENOMEM;
}

/* The lowest address from FROM on with LENGTH bytes free.  */
static Addr
find_room (const Space *space, Addr from, guint64 length)
{
  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);

      if (m->end <= from)
        continue;
      if (m->start >= from && m->start - from >= length)
        return from;
      from = m->end;
    }
  return from;
}

/* Below the arena, where programs have nothing.  */
#define ROOM 0x680000000000ul

static gint64
answer_mmap (Call *call)
{
  gboolean fixed = (call->args[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
  guint64 length = PAGE_UP (call->args[1]);

  if (!(call->args[3] & MAP_ANONYMOUS))
    {
      call->stopped = TRUE;
      call->stop->kind = STOP_ERROR;
      return 0;
    }
  if (length == 0 || length > ARENA_BASE - ROOM)
    return -ENOMEM;
  if (!fixed)
    call->args[0] = find_room (replay_space (call->replay), ROOM, length);

  gint64 result = change_map (call, MAP_OP_MAP, (guint32) call->args[2]);

  return result == 0 ? (gint64) call->args[0] : result;
}

static gint64
answer_munmap (Call *call)
{
  return change_map (call, MAP_OP_UNMAP, 0);
}

static gint64
answer_mprotect (Call *call)
{
  return change_map (call, MAP_OP_PROTECT, (guint32) call->args[2]);
}

static gint64
answer_madvise (Call *call)
{
  return call->args[2] == MADV_DONTNEED ? change_map (call, MAP_OP_DISCARD, 0) : 0;
}

/* No memory that way: malloc takes mmap then.  */
static gint64
answer_nomem (Call *call)
{
  (void) call;
  return -ENOMEM;
}

static const Answer answers[] = {
  [SYS_write] = answer_write,
  [SYS_writev] = answer_writev,
  [SYS_fstat] = answer_fstat,
  [SYS_newfstatat] = answer_newfstatat,
  [SYS_lseek] = answer_pipe,
  [SYS_ioctl] = answer_notty,
  [SYS_fsync] = answer_zero,
  [SYS_mmap] = answer_mmap,
  [SYS_munmap] = answer_munmap,
  [SYS_mprotect] = answer_mprotect,
  [SYS_madvise] = answer_madvise,
  [SYS_mremap] = answer_nomem,
  [SYS_brk] = answer_zero,
  [SYS_rt_sigaction] = answer_zero,
  [SYS_rt_sigprocmask] = answer_sigmask,
  [SYS_sigaltstack] = answer_zero,
  [SYS_sched_yield] = answer_zero,
  [SYS_nanosleep] = answer_zero,
  [SYS_clock_nanosleep] = answer_zero,
  [SYS_alarm] = answer_zero,
  [SYS_setitimer] = answer_zero,
  [SYS_getpid] = answer_pid,
  [SYS_gettid] = answer_tid,
  [SYS_getppid] = answer_zero,
  [SYS_getuid] = answer_uid,
  [SYS_geteuid] = answer_uid,
  [SYS_getgid] = answer_gid,
  [SYS_getegid] = answer_gid,
  [SYS_time] = answer_time,
  [SYS_gettimeofday] = answer_timeofday,
  [SYS_clock_gettime] = answer_clock,
  [SYS_getrandom] = answer_random,
  [SYS_futex] = answer_futex,
  [SYS_exit] = answer_exit,
  [SYS_exit_group] = answer_exit,
  [SYS_kill] = answer_kill,
  [SYS_tkill] = answer_kill,
  [SYS_tgkill] = answer_tgkill,
};

static gboolean
refuse (const Regs *regs, GError **error)
{
  return error_set (error, RETRO_ERROR_UNSUPPORTED, "a throw-away copy cannot make the system call %s",
                    sys_name ((gint64) regs->rax));
}

static gboolean
perform_call (Call *call, GError **error)
{
  Regs regs;
  gint64 result = 0;

  if (!replay_get_regs (call->replay, call->thread, &regs, error))
    return FALSE;

  const guint64 args[6] = { regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9 };

  memcpy (call->args, args, sizeof args);
  if (regs.rax >= G_N_ELEMENTS (answers) || answers[regs.rax] == NULL)
    return refuse (&regs, error);
  result = answers[regs.rax](call);
  if (call->stopped)
    return call->stop->kind != STOP_ERROR || refuse (&regs, error);
  regs.rax = (guint64) result;
  regs.rip += 2;
  regs.rcx = regs.rip;
  regs.r11 = regs.eflags;
  return replay_set_regs (call->replay, call->thread, &regs, error);
}

/* --- Running --- */

static gboolean
perform_trapped (Call *call, GError **error)
{
  Regs regs;

  if (!replay_get_regs (call->replay, call->thread, &regs, error))
    return FALSE;
  trapped_perform (replay_task (call->replay), &regs);
  return replay_set_regs (call->replay, call->thread, &regs, error);
}

/* A fault that is a trapped cpuid's (rdtsc is known without trying it).  */
static gboolean
stands_at_cpuid (Call *call, const siginfo_t *info)
{
  Regs regs;

  return info->si_signo == SIGSEGV && info->si_code == SI_KERNEL
         && replay_get_regs (call->replay, call->thread, &regs, NULL)
         && trapped_at (replay_task (call->replay), regs.rip) == TRAPPED_CPUID;
}

/* One instruction.  */
static gboolean
step_once (Call *call, const TicksRequest *request, TicksResult *result, GError **error)
{
  Task *task = replay_task (call->replay);
  Regs regs;
  Step step;

  memset (result, 0, sizeof *result);
  if (!replay_get_regs (call->replay, call->thread, &regs, error) || !step_set_watches (task, request, error))
    return FALSE;
  do
    step = step_one (task, request, &regs, result, error);
  while (step == STEP_INTERRUPTED);
  if (step != STEP_STOP)
    result->stop = TICKS_STOP_TICKS;
  return step_clear_watches (task, request, step != STEP_ERROR ? error : NULL) && step != STEP_ERROR;
}

/* What the stop of a run means.  */
static gboolean
handle_stop (Call *call, Armed *armed, const TicksResult *result, GError **error)
{
  Session *session = call->session;

  switch (result->stop)
    {
    case TICKS_STOP_SYSCALL:
      return perform_call (call, error);
    case TICKS_STOP_TSC:
      return perform_trapped (call, error);
    case TICKS_STOP_FAULT:
      if (stands_at_cpuid (call, &result->siginfo))
        return perform_trapped (call, error);
      session->siginfo = result->siginfo;
      session->has_siginfo = TRUE;
      stop_with_signal (call, result->siginfo.si_signo);
      return TRUE;
    case TICKS_STOP_BREAK:
      call->stop->kind = STOP_BREAK;
      call->stop->addr = armed->request.breaks[result->hit].pc;
      call->stopped = TRUE;
      return TRUE;
    case TICKS_STOP_WATCH:
      call->stopped = armed_watch_counts (armed, session->here, result->hit, call->stop);
      return TRUE;
    default:
      if (interrupt_wanted (session))
        {
          call->stop->kind = STOP_INTERRUPT;
          call->stopped = TRUE;
        }
      return TRUE;
    }
}

static gboolean
step_is_over (Call *call, const SessionRequest *request)
{
  Regs regs;

  if (!replay_get_regs (call->replay, call->thread, &regs, NULL))
    return TRUE;
  if (request->how == SESSION_RANGE && regs.rip >= request->start && regs.rip < request->end)
    return FALSE;
  call->stop->kind = STOP_STEP;
  return TRUE;
}

static gboolean
run_diverted (Call *call, Armed *armed, const SessionRequest *request, GError **error)
{
  gboolean steps = request->how != SESSION_CONTINUE, first = TRUE;

  while (!call->stopped)
    {
      TicksResult result;

      armed->request.break_first = !first;
      armed->request.space = replay_space (call->replay);
      if (steps)
        {
          if (!step_once (call, &armed->request, &result, error))
            return FALSE;
        }
      else
        {
          Ticks *ticks = replay_ticks (call->replay, error);

          if (ticks == NULL || !ticks_run (ticks, replay_task (call->replay), &armed->request, &result, error))
            return FALSE;
        }
      replay_moved (call->replay);
      first = FALSE;
      if (!handle_stop (call, armed, &result, error))
        return FALSE;
      if (steps && !call->stopped)
        call->stopped = step_is_over (call, request);
    }
  return TRUE;
}

gboolean
move_diverted (Session *session, const SessionRequest *request, Stop *stop, GError **error)
{
  ThreadNo thread = request->thread != NO_THREAD ? request->thread : session->thread;
  Call call = { .session = session, .replay = session->here->replay, .thread = thread, .stop = stop };
  Armed armed;
  gboolean ok;

  stop->thread = thread;
  if (!replay_switch (call.replay, thread, error))
    return FALSE;
  armed_init (&armed, session, session->here);
  armed.thread = thread;
  ok = run_diverted (&call, &armed, request, error);
  armed_clear (&armed);
  return ok;
}
