/* A session without a process, for tests of the protocol server.

   The functions of timeline/session.h over a made-up program: one thread
   (two, once `mock_threads' says so) that at each of MOCK_END steps puts
   the step's number into MOCK_DATA and goes on by four bytes from
   MOCK_CODE; then it exits.  A function call in a diversion adds one to
   MOCK_COUNTER, puts "made" at the address in rdi if rdi is in MOCK_HEAP,
   and returns rdi + 1 (or MOCK_HEAP when rip was MOCK_MALLOC).

   Included by one .c file; the linker then takes nothing of the real
   session from the archive.  */

#ifndef RETRO_UNIT_RSP_MOCK_H
#define RETRO_UNIT_RSP_MOCK_H

#include "base/error.h"
#include "timeline/session.h"

#include <string.h>

#define MOCK_PID 0x4d2
#define MOCK_CODE 0x1000u
#define MOCK_FUNCTION 0x1800u
#define MOCK_MALLOC 0x1900u
#define MOCK_CRASH 0x1a00u
#define MOCK_DATA 0x9000u
#define MOCK_COUNTER 0x9008u
#define MOCK_HEAP 0xa000u
#define MOCK_STACK 0x8000u /* grows down; what GDB writes below is a dummy frame  */
#define MOCK_MEMORY 0x10000u
#define MOCK_END 100u

typedef struct
{
  guint32 step;
  Regs regs;
  guint8 memory[MOCK_MEMORY];
} MockState;

typedef struct
{
  SessionTrapKind kind;
  Addr addr;
  gsize length;
  SessionCondition condition;
  gpointer user;
  GDestroyNotify destroy;
} MockTrap;

struct _Session
{
  MockState states[MOCK_END + 1]; /* history, by step  */
  guint32 now, frontier;
  gboolean diverted;
  gboolean by_itself;             /* the diversion, by a write in the past  */
  MockState diversion;
  GArray *traps;
  GPtrArray *checkpoints;
  siginfo_t siginfo;
  char *dir;
};

/* What the server did, for tests to look at.  */
static guint mock_pokes, mock_runs;
static guint64 mock_pass_mask;
static char *mock_argv;
static gboolean mock_two_threads;
static gboolean (*mock_interrupt) (gpointer user);
static gpointer mock_interrupt_user;

static MockState *
mock_here (Session *s)
{
  return s->diverted ? &s->diversion : &s->states[s->now];
}

static Session *
mock_new (void)
{
  Session *s = g_new0 (Session, 1);
  MockState *first = &s->states[0];

  first->regs.rip = MOCK_CODE;
  first->regs.rsp = MOCK_STACK;
  first->regs.rbx = 0x1122334455667788;
  s->traps = g_array_new (FALSE, TRUE, sizeof (MockTrap));
  s->checkpoints = g_ptr_array_new ();
  mock_runs++;
  return s;
}

/* One step of the live program or of history.  */
static void
mock_forward (Session *s)
{
  if (s->now == s->frontier)
    {
      MockState *next = &s->states[s->now + 1];

      *next = s->states[s->now];
      next->step++;
      next->regs.rip += 4;
      memcpy (next->memory + MOCK_DATA, &next->step, 4);
      s->frontier++;
    }
  s->now++;
}

int
position_compare (const Position *a, const Position *b)
{
  return a->event < b->event ? -1 : a->event > b->event;
}

Session *
session_run (char **argv, char **env G_GNUC_UNUSED, const char *cwd G_GNUC_UNUSED,
             const SessionOptions *options G_GNUC_UNUSED, GError **error)
{
  if (g_str_equal (argv[0], "/nonexistent"))
    {
      error_set (error, RETRO_ERROR_USAGE, "/nonexistent: No such file or directory");
      return NULL;
    }
  g_free (mock_argv);
  mock_argv = g_strjoinv ("|", argv);
  return mock_new ();
}

Session *
session_attach (pid_t pid G_GNUC_UNUSED, const SessionOptions *options G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return mock_new ();
}

Session *
session_open (const char *dir G_GNUC_UNUSED, gboolean at_end G_GNUC_UNUSED,
              const SessionOptions *options G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return mock_new ();
}

static void
mock_trap_clear (MockTrap *trap)
{
  if (trap->destroy != NULL)
    trap->destroy (trap->user);
}

void
session_free (Session *s)
{
  if (s == NULL)
    return;
  for (guint i = 0; i < s->traps->len; i++)
    mock_trap_clear (&g_array_index (s->traps, MockTrap, i));
  for (guint i = 0; i < s->checkpoints->len; i++)
    {
      Checkpoint *one = g_ptr_array_index (s->checkpoints, i);

      g_free (one->name);
      g_free (one);
    }
  g_array_free (s->traps, TRUE);
  g_ptr_array_free (s->checkpoints, TRUE);
  g_free (s);
}

gboolean
session_detach (Session *s G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

void
session_position (Session *s, Position *ret)
{
  *ret = (Position) { .event = s->now, .pc = s->states[s->now].regs.rip };
}

gboolean
session_is_live (const Session *s G_GNUC_UNUSED)
{
  return TRUE;
}

gboolean
session_at_frontier (const Session *s)
{
  return s->now == s->frontier;
}

gboolean
session_at_begin (const Session *s)
{
  return s->now == 0;
}

gboolean
session_in_diversion (const Session *s)
{
  return s->diverted;
}

Log *
session_log (Session *s G_GNUC_UNUSED)
{
  return NULL;
}

pid_t
session_pid (const Session *s G_GNUC_UNUSED)
{
  return MOCK_PID;
}

char *
session_exec_file (Session *s G_GNUC_UNUSED)
{
  return g_strdup ("/bin/mock");
}

GArray *
session_threads (Session *s G_GNUC_UNUSED)
{
  GArray *threads = g_array_new (FALSE, FALSE, sizeof (ThreadNo));

  for (ThreadNo i = 0; i < (mock_two_threads ? 2 : 1); i++)
    g_array_append_val (threads, i);
  return threads;
}

pid_t
session_tid (Session *s G_GNUC_UNUSED, ThreadNo thread)
{
  return MOCK_PID + (pid_t) thread;
}

char *
session_thread_name (Session *s G_GNUC_UNUSED, ThreadNo thread G_GNUC_UNUSED)
{
  return g_strdup ("mo<ck");
}

ThreadNo
session_current_thread (Session *s G_GNUC_UNUSED)
{
  return 0;
}

gboolean
session_get_regs (Session *s, ThreadNo thread G_GNUC_UNUSED, Regs *ret, GError **error G_GNUC_UNUSED)
{
  *ret = mock_here (s)->regs;
  return TRUE;
}

static void
mock_divert (Session *s, gboolean by_itself)
{
  s->diversion = s->states[s->now];
  s->diverted = TRUE;
  s->by_itself = by_itself;
}

gboolean
session_set_regs (Session *s, ThreadNo thread G_GNUC_UNUSED, const Regs *regs, GError **error G_GNUC_UNUSED)
{
  if (!s->diverted)
    mock_divert (s, TRUE);
  s->diversion.regs = *regs;
  return TRUE;
}

gboolean
session_poke_regs (Session *s, ThreadNo thread G_GNUC_UNUSED, const Regs *regs, GBytes *xstate G_GNUC_UNUSED,
                   GError **error G_GNUC_UNUSED)
{
  g_assert_true (session_at_frontier (s) && !s->diverted);
  s->states[s->now].regs = *regs;
  mock_pokes++;
  return TRUE;
}

GBytes *
session_get_xstate (Session *s G_GNUC_UNUSED, ThreadNo thread G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return NULL;
}

gboolean
session_set_xstate (Session *s G_GNUC_UNUSED, ThreadNo thread G_GNUC_UNUSED, GBytes *xstate G_GNUC_UNUSED,
                    GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

static gsize
mock_read (const MockState *state, Addr addr, void *buffer, gsize length)
{
  if (addr >= MOCK_MEMORY)
    return 0;
  length = MIN (length, MOCK_MEMORY - addr);
  memcpy (buffer, state->memory + addr, length);
  return length;
}

gsize
session_read (Session *s, Addr addr, void *buffer, gsize length)
{
  return mock_read (mock_here (s), addr, buffer, length);
}

gsize
session_read_history (Session *s, Addr addr, void *buffer, gsize length)
{
  return mock_read (&s->states[s->now], addr, buffer, length);
}

gboolean
session_write (Session *s, Addr addr, const void *buffer, gsize length, GError **error)
{
  if (addr >= MOCK_MEMORY || length > MOCK_MEMORY - addr)
    return error_set (error, RETRO_ERROR_FAILED, "no memory there");
  if (!s->diverted && session_at_frontier (s))
    mock_pokes++;
  else if (!s->diverted)
    mock_divert (s, TRUE);
  memcpy (mock_here (s)->memory + addr, buffer, length);
  return TRUE;
}

char *
session_maps (Session *s G_GNUC_UNUSED)
{
  return g_strdup ("00001000-00002000 r-xp 00000000 00:00 0 [mock]\n");
}

GBytes *
session_auxv (Session *s G_GNUC_UNUSED)
{
  return g_bytes_new_static ("a#u}x*v$", 8);
}

const siginfo_t *
session_siginfo (Session *s G_GNUC_UNUSED)
{
  return NULL;
}

static gint
mock_find (Session *s, SessionTrapKind kind, Addr addr)
{
  for (guint i = 0; i < s->traps->len; i++)
    if (g_array_index (s->traps, MockTrap, i).kind == kind && g_array_index (s->traps, MockTrap, i).addr == addr)
      return (gint) i;
  return -1;
}

gboolean
session_insert (Session *s, SessionTrapKind kind, Addr addr, gsize length, SessionCondition condition, gpointer user,
                GDestroyNotify destroy, GError **error)
{
  MockTrap trap = { kind, addr, length, condition, user, destroy };
  guint watches = 0;

  session_remove (s, kind, addr, length, NULL);
  for (guint i = 0; i < s->traps->len; i++)
    watches += g_array_index (s->traps, MockTrap, i).kind != SESSION_BREAK;
  if (kind != SESSION_BREAK && watches == 4)
    {
      mock_trap_clear (&trap);
      return error_set (error, RETRO_ERROR_LIMIT, "four watchpoints are all there are");
    }
  g_array_append_val (s->traps, trap);
  return TRUE;
}

gboolean
session_remove (Session *s, SessionTrapKind kind, Addr addr, gsize length G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  gint i = mock_find (s, kind, addr);

  if (i >= 0)
    {
      mock_trap_clear (&g_array_index (s->traps, MockTrap, (guint) i));
      g_array_remove_index (s->traps, (guint) i);
    }
  return TRUE;
}

void
session_catch_syscalls (Session *s G_GNUC_UNUSED, GArray *numbers G_GNUC_UNUSED)
{
}

void
session_pass_signals (Session *s G_GNUC_UNUSED, guint64 mask)
{
  mock_pass_mask = mask;
}

void
session_report_events (Session *s G_GNUC_UNUSED, guint mask G_GNUC_UNUSED)
{
}

/* A call: see the top.  */
static void
mock_run_function (Session *s, Stop *stop)
{
  MockState *d = &s->diversion;
  guint64 back;

  if (d->regs.rip == MOCK_CRASH || d->regs.rsp > MOCK_MEMORY - 8)
    {
      *stop = (Stop) { .kind = STOP_EXITED, .status = 3 };
      return;
    }
  memcpy (&back, d->memory + d->regs.rsp, 8);
  d->memory[MOCK_COUNTER]++;
  if (d->regs.rdi >= MOCK_HEAP && d->regs.rdi < MOCK_HEAP + 0x1000)
    memcpy (d->memory + d->regs.rdi, "made", 5);
  d->regs.rax = d->regs.rip == MOCK_MALLOC ? MOCK_HEAP : d->regs.rdi + 1;
  d->regs.rip = back;
  d->regs.rsp += 8;
  *stop = (Stop) { .kind = STOP_BREAK, .addr = back };
}

/* Does something stop here?  */
static gboolean
mock_stops_here (Session *s, Stop *stop)
{
  const Regs *regs = &s->states[s->now].regs;

  for (guint i = 0; i < s->traps->len; i++)
    {
      MockTrap *trap = &g_array_index (s->traps, MockTrap, i);

      if (trap->kind == SESSION_BREAK && trap->addr == regs->rip
          && (trap->condition == NULL || trap->condition (s, 0, regs, trap->user)))
        {
          *stop = (Stop) { .kind = STOP_BREAK, .addr = regs->rip };
          return TRUE;
        }
      if (trap->kind != SESSION_BREAK && trap->addr == MOCK_DATA)
        {
          *stop = (Stop) { .kind = STOP_WATCH, .addr = MOCK_DATA, .watch = trap->kind };
          return TRUE;
        }
    }
  return FALSE;
}

gboolean
session_resume (Session *s, const SessionRequest *request, Stop *stop, GError **error G_GNUC_UNUSED)
{
  if (s->diverted && !s->by_itself)
    {
      mock_run_function (s, stop);
      return TRUE;
    }
  s->diverted = FALSE;
  for (;;)
    {
      if (mock_interrupt != NULL && mock_interrupt (mock_interrupt_user))
        {
          *stop = (Stop) { .kind = STOP_INTERRUPT };
          return TRUE;
        }
      if (request->backward ? s->now == 0 : s->now == MOCK_END)
        {
          *stop = request->backward ? (Stop) { .kind = STOP_BEGIN } : (Stop) { .kind = STOP_EXITED, .status = 7 };
          return TRUE;
        }
      if (request->backward)
        s->now--;
      else
        mock_forward (s);
      if (mock_stops_here (s, stop))
        return TRUE;
      if (request->how == SESSION_STEP)
        {
          *stop = (Stop) { .kind = STOP_STEP };
          return TRUE;
        }
    }
}

void
session_interrupt (void)
{
}

void
session_set_interrupt (Session *s G_GNUC_UNUSED, int fd G_GNUC_UNUSED, gboolean (*func) (gpointer user), gpointer user)
{
  mock_interrupt = func;
  mock_interrupt_user = user;
}

gboolean
session_seek (Session *s, const Position *position, GError **error)
{
  return session_seek_event (s, position->event, error);
}

gboolean
session_seek_event (Session *s, EventNo event, GError **error G_GNUC_UNUSED)
{
  s->diverted = FALSE;
  s->now = (guint32) MIN (event, s->frontier);
  return TRUE;
}

void
session_begin (Session *s G_GNUC_UNUSED, Position *ret)
{
  *ret = (Position) { .event = 0 };
}

void
session_end (Session *s, Position *ret)
{
  *ret = (Position) { .event = s->frontier };
}

guint64
session_time (Session *s G_GNUC_UNUSED, EventNo event)
{
  return event * 1000;
}

const Checkpoint *
session_checkpoint (Session *s, const char *name, GError **error G_GNUC_UNUSED)
{
  Checkpoint *one = g_new0 (Checkpoint, 1);

  one->number = (int) s->checkpoints->len + 1;
  one->name = g_strdup (name);
  session_position (s, &one->position);
  g_ptr_array_add (s->checkpoints, one);
  return one;
}

const Checkpoint *
session_find_checkpoint (Session *s, const char *text, GError **error)
{
  for (guint i = 0; i < s->checkpoints->len; i++)
    {
      const Checkpoint *one = g_ptr_array_index (s->checkpoints, i);
      char number[16];

      g_snprintf (number, sizeof number, "%d", one->number);
      if (g_strcmp0 (one->name, text) == 0 || g_str_equal (number, text))
        return one;
    }
  error_set (error, RETRO_ERROR_USAGE, "No checkpoint %s.", text);
  return NULL;
}

gboolean
session_delete_checkpoint (Session *s, const char *text, GError **error)
{
  return session_find_checkpoint (s, text, error) != NULL;
}

const GPtrArray *
session_checkpoints (Session *s)
{
  return s->checkpoints;
}

gboolean
session_save (Session *s G_GNUC_UNUSED, const char *dir, const Position *from G_GNUC_UNUSED,
              GError **error G_GNUC_UNUSED)
{
  return *dir != '\0';
}

gboolean
session_divert (Session *s, GError **error)
{
  if (s->diverted)
    return error_set (error, RETRO_ERROR_USAGE, "in a diversion already");
  mock_divert (s, FALSE);
  return TRUE;
}

gboolean
session_end_diversion (Session *s, GError **error G_GNUC_UNUSED)
{
  s->diverted = FALSE;
  return TRUE;
}

void
session_set_snapshot_memory (Session *s G_GNUC_UNUSED, guint64 bytes G_GNUC_UNUSED)
{
}

void
session_set_snapshot_interval (Session *s G_GNUC_UNUSED, guint64 usec G_GNUC_UNUSED)
{
}

void
session_snapshot_stats (Session *s G_GNUC_UNUSED, guint *count_ret, guint64 *bytes_ret)
{
  *count_ret = 1;
  *bytes_ret = 4096;
}

GArray *
session_snapshot_positions (Session *s G_GNUC_UNUSED)
{
  Position first = { .event = 0 };
  GArray *positions = g_array_new (FALSE, FALSE, sizeof (Position));

  g_array_append_val (positions, first);
  return positions;
}

gboolean
session_digest (Session *s, guint64 *ret, GError **error G_GNUC_UNUSED)
{
  *ret = s->now;
  return TRUE;
}

/* Bisects the steps.  */
gboolean
session_search (Session *s, const Position *from, SessionProbe probe, gpointer user,
                SearchProgress progress G_GNUC_UNUSED, gpointer progress_user G_GNUC_UNUSED, SearchResult *result_ret,
                GError **error)
{
  guint32 start = s->now, low = from != NULL ? (guint32) from->event : 0, high = s->now;

  memset (result_ret, 0, sizeof *result_ret);
  while (high - low > 1)
    {
      gboolean bad;

      s->now = (low + high) / 2;
      result_ret->probes++;
      if (!probe (s, &bad, user, error))
        {
          s->diverted = FALSE;
          s->now = start;
          return FALSE;
        }
      *(bad ? &high : &low) = s->now;
    }
  s->now = low;
  result_ret->event = low;
  result_ret->pc = s->states[low].regs.rip;
  return TRUE;
}

/* From step to step backwards.  */
gboolean
session_search_last (Session *s, const Position *from, SessionDependingProbe probe, gpointer user,
                     SearchProgress progress G_GNUC_UNUSED, gpointer progress_user G_GNUC_UNUSED,
                     SearchResult *result_ret, GError **error)
{
  guint32 start = s->now, low = from != NULL ? (guint32) from->event : 0;
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (Addr));
  gboolean bad = TRUE;

  memset (result_ret, 0, sizeof *result_ret);
  while (bad)
    {
      if (!probe (s, &bad, words, user, error) || (bad && s->now == low))
        {
          s->now = start;
          return error != NULL && *error != NULL ? FALSE : error_set (error, RETRO_ERROR_USAGE, "it is so at the start");
        }
      result_ret->probes++;
      if (bad)
        s->now--;
    }
  result_ret->event = s->now;
  result_ret->pc = s->states[s->now].regs.rip;
  return TRUE;
}

/* To START, which is a step here.  */
gboolean
session_rewind (Session *s, Addr start, Addr end G_GNUC_UNUSED, GError **error)
{
  guint32 now = s->now;

  while (now > 0 && s->states[now].regs.rip != start)
    now--;
  if (s->states[now].regs.rip != start)
    return error_set (error, RETRO_ERROR_FAILED, "it is not there");
  s->now = now;
  return TRUE;
}

gboolean
session_rewind_call (Session *s, Addr start, Addr return_addr, Addr stack G_GNUC_UNUSED, GError **error)
{
  return session_rewind (s, start, return_addr, error);
}

#endif
