/* What the user's writes mean: see rsp/writes.h.

   Pointers that a call returned, and those read through them, are kept as
   the reach of its result: what is shown of the diversion after the call.
   It is small on purpose (REACH_BYTES behind each), since all other memory
   is shown as history has it.

   Writes below the stack pointer are kept in a journal: a further call
   starts in a fresh copy unless it is given a pointer into an earlier
   result, and the journal puts its dummy frame there.  */

#include "rsp/writes.h"

#include "base/error.h"
#include "rsp/server.h"

#include <string.h>

#define RED_ZONE 128
#define DUMMY_REACH (16u << 20) /* how far below the stack pointer a dummy frame may be  */
#define REACH_BYTES 1024
#define REACH_MAX 512
#define BLOCK_MAX (64u << 20)
#define JOURNAL_MAX (1u << 20)

typedef enum
{
  NONE,
  OPEN,
  RUN,
  RESTORED,
  ASKED
} WriteState;

typedef struct
{
  ThreadNo thread;
  guint number;
  guint8 value[REGNO_MAX_SIZE];
} StagedRegister;

typedef struct
{
  Addr start;
  guint64 length;
} Reach;

struct _Writes
{
  Server *server;
  WriteState state;
  GArray *staged;       /* of StagedRegister, in the order of writing  */
  ThreadNo thread;      /* of the call  */
  RegState base;        /* its registers in history  */
  RegState call;        /* ... and as the call began  */
  Addr return_addr;     /* ... where it returns to  */
  GArray *reach;        /* of Reach  */
  GArray *journal;      /* of MemWrite: below the stack pointer  */
  gsize journal_bytes;
  gboolean said_past;   /* that a change of the past does not last  */
};

Writes *
writes_new (Server *server)
{
  Writes *w = g_new0 (Writes, 1);

  w->server = server;
  w->staged = g_array_new (FALSE, FALSE, sizeof (StagedRegister));
  w->reach = g_array_new (FALSE, FALSE, sizeof (Reach));
  w->journal = g_array_new (FALSE, FALSE, sizeof (MemWrite));
  return w;
}

static void
clear_journal (Writes *w)
{
  for (guint i = 0; i < w->journal->len; i++)
    g_bytes_unref (g_array_index (w->journal, MemWrite, i).data);
  g_array_set_size (w->journal, 0);
  w->journal_bytes = 0;
}

void
writes_reset (Writes *w)
{
  w->state = NONE;
  g_array_set_size (w->staged, 0);
  g_array_set_size (w->reach, 0);
  clear_journal (w);
  reg_state_clear (&w->base);
  reg_state_clear (&w->call);
}

void
writes_free (Writes *w)
{
  writes_reset (w);
  g_array_free (w->staged, TRUE);
  g_array_free (w->reach, TRUE);
  g_array_free (w->journal, TRUE);
  g_free (w);
}

gboolean
writes_in_call (const Writes *w)
{
  return w->state == RUN;
}

/* ---- Registers ---- */

/* As the session has them.  */
static gboolean
get_session_state (Session *session, ThreadNo thread, RegState *state, GError **error)
{
  g_autoptr (GBytes) xstate = NULL;

  state->xstate = NULL;
  if (!session_get_regs (session, thread, &state->regs, error))
    return FALSE;
  xstate = session_get_xstate (session, thread, NULL);
  if (xstate != NULL)
    {
      state->xstate = g_byte_array_new ();
      g_byte_array_append (state->xstate, g_bytes_get_data (xstate, NULL), (guint) g_bytes_get_size (xstate));
    }
  return TRUE;
}

static gboolean
set_session_state (Session *session, ThreadNo thread, const RegState *state, GError **error)
{
  g_autoptr (GBytes) xstate = NULL;

  if (!session_set_regs (session, thread, &state->regs, error))
    return FALSE;
  if (state->xstate == NULL)
    return TRUE;
  xstate = g_bytes_new (state->xstate->data, state->xstate->len);
  return session_set_xstate (session, thread, xstate, error);
}

static void
copy_state (RegState *to, const RegState *from)
{
  reg_state_clear (to);
  to->regs = from->regs;
  if (from->xstate != NULL)
    {
      to->xstate = g_byte_array_new ();
      g_byte_array_append (to->xstate, from->xstate->data, from->xstate->len);
    }
}

/* History's, without what is staged.  */
static gboolean
get_base_state (Writes *w, ThreadNo thread, RegState *state, GError **error)
{
  state->xstate = NULL;
  if (w->state == RESTORED && thread == w->thread)
    {
      copy_state (state, &w->base);
      return TRUE;
    }
  return get_session_state (w->server->session, thread, state, error);
}

gboolean
writes_get_state (Writes *w, ThreadNo thread, RegState *state, GError **error)
{
  if (!get_base_state (w, thread, state, error))
    return FALSE;
  for (guint i = 0; i < w->staged->len; i++)
    {
      const StagedRegister *staged = &g_array_index (w->staged, StagedRegister, i);

      if (staged->thread == thread)
        registers_set (state, staged->number, staged->value);
    }
  return TRUE;
}

/* Are the general registers of the call's thread as before the call?  */
static gboolean
is_restored (const Writes *w, const RegState *state)
{
  for (guint number = 0; registers_name (number) != NULL; number++)
    {
      guint8 a[REGNO_MAX_SIZE], b[REGNO_MAX_SIZE];

      if (!registers_is_general (number) || g_str_equal (registers_name (number), "orig_rax"))
        continue;
      registers_get (&w->base, number, a);
      registers_get (state, number, b);
      if (memcmp (a, b, registers_size (number)) != 0)
        return FALSE;
    }
  return TRUE;
}

/* In a call, or where the client asked for a diversion: at once.  */
static gboolean
set_register_now (Writes *w, ThreadNo thread, guint number, const guint8 *value, GError **error)
{
  RegState state;
  gboolean ok;

  if (!get_session_state (w->server->session, thread, &state, error))
    return FALSE;
  ok = registers_set (&state, number, value) || error_set (error, RETRO_ERROR_USAGE, "no such register");
  ok = ok && set_session_state (w->server->session, thread, &state, error);
  if (ok && w->state == RUN && thread == w->thread && is_restored (w, &state))
    w->state = RESTORED;
  reg_state_clear (&state);
  return ok;
}

gboolean
writes_set_register (Writes *w, ThreadNo thread, guint number, const guint8 *value, GError **error)
{
  StagedRegister staged = { .thread = thread, .number = number };
  guint8 old[REGNO_MAX_SIZE];
  RegState state;
  gboolean known;

  if (registers_size (number) == 0)
    return error_set (error, RETRO_ERROR_USAGE, "no register has the number %u", number);
  if (w->state == RUN || w->state == ASKED)
    return set_register_now (w, thread, number, value, error);
  if (!get_base_state (w, thread, &state, error))
    return FALSE;
  known = registers_get (&state, number, old);
  reg_state_clear (&state);
  if (!known)
    return error_set (error, RETRO_ERROR_USAGE, "register %s is not available", registers_name (number));
  for (guint i = w->staged->len; i-- > 0;)
    {
      const StagedRegister *one = &g_array_index (w->staged, StagedRegister, i);

      if (one->thread == thread && one->number == number)
        g_array_remove_index (w->staged, i);
    }
  if (memcmp (old, value, registers_size (number)) == 0)
    return TRUE;
  memcpy (staged.value, value, registers_size (number));
  g_array_append_val (w->staged, staged);
  return TRUE;
}

/* ---- Memory ---- */

/* A dummy frame goes below the red zone of the frame that GDB stands in,
   which is not above the innermost one.  */
static gboolean
is_below_stack (Writes *w, Addr addr)
{
  ThreadNo thread = server_general_thread (w->server);
  RegState state;
  Addr rsp;

  if (!get_base_state (w, thread, &state, NULL))
    return FALSE;
  rsp = state.regs.rsp;
  reg_state_clear (&state);
  return addr < rsp && rsp - addr > RED_ZONE && rsp - addr <= DUMMY_REACH;
}

static gboolean
is_reached (const Writes *w, Addr addr)
{
  for (guint i = 0; i < w->reach->len; i++)
    {
      const Reach *reach = &g_array_index (w->reach, Reach, i);

      if (addr >= reach->start && addr - reach->start < reach->length)
        return TRUE;
    }
  return FALSE;
}

static void
add_reach (Writes *w, Addr start, guint64 length)
{
  Reach reach = { start, length };

  if (start >= PAGE_SIZE_ && start < USER_END && w->reach->len < REACH_MAX)
    g_array_append_val (w->reach, reach);
}

/* Pointers in what was read through a result are reached, too.  */
static void
add_pointers (Writes *w, Addr addr, const guint8 *data, gsize length)
{
  add_reach (w, addr, MAX (length, REACH_BYTES));
  for (gsize at = (8 - addr % 8) % 8; at + 8 <= length; at += 8)
    {
      guint64 word;
      guint8 byte;

      memcpy (&word, data + at, 8);
      if (!is_reached (w, word) && word >= PAGE_SIZE_ && word < USER_END
          && session_read (w->server->session, word, &byte, 1) == 1)
        add_reach (w, word, REACH_BYTES);
    }
}

gsize
writes_read (Writes *w, Addr addr, void *buffer, gsize length)
{
  Session *session = w->server->session;
  gboolean reached = (w->state == RUN || w->state == RESTORED) && is_reached (w, addr);
  gsize n;

  if (w->state == RESTORED && !reached && !is_below_stack (w, addr))
    return session_read_history (session, addr, buffer, length);
  n = session_read (session, addr, buffer, length);
  if (reached)
    add_pointers (w, addr, buffer, n);
  return n;
}

static gboolean
end_diversion (Writes *w, GError **error)
{
  w->state = NONE;
  g_array_set_size (w->reach, 0);
  return !session_in_diversion (w->server->session) || session_end_diversion (w->server->session, error);
}

static void
keep_in_journal (Writes *w, Addr addr, const void *buffer, gsize length)
{
  MemWrite write = { addr, NULL };

  if (w->journal_bytes + length > JOURNAL_MAX)
    clear_journal (w);
  write.data = g_bytes_new (buffer, length);
  w->journal_bytes += length;
  g_array_append_val (w->journal, write);
}

static gboolean
write_dummy_frame (Writes *w, Addr addr, const void *buffer, gsize length, GError **error)
{
  Session *session = w->server->session;

  if (w->state == NONE)
    {
      if (!session_in_diversion (session) && !session_divert (session, error))
        return FALSE;
      w->state = OPEN;
    }
  keep_in_journal (w, addr, buffer, length);
  return session_write (session, addr, buffer, length, error);
}

static void
say_past (Writes *w)
{
  if (w->said_past)
    return;
  w->said_past = TRUE;
  server_notice (w->server, "This is the past: the change is made in a throw-away copy and lasts until time moves.");
}

gboolean
writes_write (Writes *w, Addr addr, const void *buffer, gsize length, GError **error)
{
  Session *session = w->server->session;

  if (w->state == RUN || w->state == ASKED)
    return session_write (session, addr, buffer, length, error);
  if (is_below_stack (w, addr))
    return write_dummy_frame (w, addr, buffer, length, error);
  if (w->state == RESTORED && is_reached (w, addr))
    return session_write (session, addr, buffer, length, error);
  if (w->state != NONE && !end_diversion (w, error))
    return FALSE;
  if (!session_is_live (session) || !session_at_frontier (session))
    say_past (w);
  return session_write (session, addr, buffer, length, error);
}

/* ---- Resumption ---- */

/* Do the staged registers call a function?  GDB's dummy frame has its
   breakpoint in the stack, and the return address names it.  */
static gboolean
find_call (Writes *w, RegState *state_ret, ThreadNo *thread_ret, Addr *return_ret)
{
  RegState old = { .xstate = NULL };
  guint64 word = 0;
  gboolean found;

  if (w->staged->len == 0 || (w->state != OPEN && w->state != RESTORED))
    return FALSE;
  *thread_ret = g_array_index (w->staged, StagedRegister, 0).thread;
  if (!get_base_state (w, *thread_ret, &old, NULL) || !writes_get_state (w, *thread_ret, state_ret, NULL))
    {
      reg_state_clear (&old);
      return FALSE;
    }
  found = state_ret->regs.rip != old.regs.rip && state_ret->regs.rsp < old.regs.rsp
          && session_read (w->server->session, state_ret->regs.rsp, &word, 8) == 8
          && trap_table_kind (w->server->traps, word) >= 0;
  reg_state_clear (&old);
  if (!found)
    reg_state_clear (state_ret);
  *return_ret = word;
  return found;
}

/* Is one of the arguments something that an earlier call made?  */
static gboolean
uses_result (const Writes *w, const Regs *regs)
{
  const guint64 arguments[] = { regs->rdi, regs->rsi, regs->rdx, regs->rcx, regs->r8, regs->r9 };

  for (gsize i = 0; i < G_N_ELEMENTS (arguments); i++)
    if (is_reached (w, arguments[i]))
      return TRUE;
  return FALSE;
}

/* A copy of history with the dummy frames in it.  */
static gboolean
renew_diversion (Writes *w, GError **error)
{
  Session *session = w->server->session;

  if ((session_in_diversion (session) && !session_end_diversion (session, error)) || !session_divert (session, error))
    return FALSE;
  for (guint i = 0; i < w->journal->len; i++)
    {
      const MemWrite *write = &g_array_index (w->journal, MemWrite, i);
      gsize length;
      const void *data = g_bytes_get_data (write->data, &length);

      if (!session_write (session, write->addr, data, length, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
begin_call (Writes *w, ThreadNo thread, const RegState *state, Addr return_addr, GError **error)
{
  if (w->state == RESTORED && !uses_result (w, &state->regs))
    {
      if (!renew_diversion (w, error))
        return FALSE;
      g_array_set_size (w->reach, 0);
    }
  /* After RESTORED the base is known; the session's registers may be a diversion's.  */
  if (w->state != RESTORED || w->thread != thread)
    {
      reg_state_clear (&w->base);
      if (!get_session_state (w->server->session, thread, &w->base, error))
        return FALSE;
    }
  copy_state (&w->call, state);
  w->thread = thread;
  w->return_addr = return_addr;
  w->state = RUN;
  g_array_set_size (w->staged, 0);
  return set_session_state (w->server->session, thread, state, error);
}

/* Registers that are still changed: a lasting change.  */
static gboolean
apply_staged (Writes *w, GError **error)
{
  Session *session = w->server->session;
  gboolean ok = TRUE;

  while (ok && w->staged->len > 0)
    {
      ThreadNo thread = g_array_index (w->staged, StagedRegister, 0).thread;
      RegState state = { .xstate = NULL };
      gboolean extended = FALSE;

      ok = writes_get_state (w, thread, &state, error);
      for (guint i = w->staged->len; i-- > 0;)
        {
          const StagedRegister *one = &g_array_index (w->staged, StagedRegister, i);

          if (one->thread == thread)
            {
              extended = extended || !registers_is_general (one->number);
              g_array_remove_index (w->staged, i);
            }
        }
      if (ok)
        {
          g_autoptr (GBytes) xstate = NULL;

          if (extended && state.xstate != NULL)
            xstate = g_bytes_new (state.xstate->data, state.xstate->len);
          ok = session_poke_regs (session, thread, &state.regs, xstate, error);
        }
      reg_state_clear (&state);
    }
  return ok;
}

/* Movement of history itself.  */
static gboolean
return_to_history (Writes *w, GError **error)
{
  Session *session = w->server->session;

  if (!end_diversion (w, error))
    return FALSE;
  clear_journal (w);
  if (w->staged->len == 0)
    return TRUE;
  if (session_is_live (session) && session_at_frontier (session))
    return apply_staged (w, error);
  g_array_set_size (w->staged, 0);
  say_past (w);
  return TRUE;
}

gboolean
writes_before_resume (Writes *w, SessionRequest *request, gboolean *call_ret, GError **error)
{
  RegState state = { .xstate = NULL };
  ThreadNo thread;
  Addr return_addr;
  gboolean ok = TRUE;

  *call_ret = FALSE;
  if (!request->backward)
    {
      if (w->state == ASKED || (w->state == RUN && request->signo == 0))
        *call_ret = TRUE;
      else if (find_call (w, &state, &thread, &return_addr))
        {
          ok = begin_call (w, thread, &state, return_addr, error);
          reg_state_clear (&state);
          *call_ret = TRUE;
        }
    }
  if (!*call_ret)
    {
      /* The signal was of the copy.  */
      if (w->state == RUN)
        request->signo = 0;
      return return_to_history (w, error);
    }
  if (w->state == RUN)
    {
      if (request->how == SESSION_CONTINUE)
        request->thread = w->thread;
      request->only_thread = TRUE;
    }
  request->signo = 0;
  return ok;
}

/* The call has returned: what it returned is to be seen for a while.  */
static void
remember_result (Writes *w)
{
  const Regs *call = &w->call.regs;
  Regs regs;

  if (!session_get_regs (w->server->session, w->thread, &regs, NULL) || regs.rip != w->return_addr)
    return;
  /* A block from malloc is as long as its argument says.  */
  add_reach (w, regs.rax, call->rdi < BLOCK_MAX ? MAX (call->rdi, REACH_BYTES) : REACH_BYTES);
  add_reach (w, regs.rdx, REACH_BYTES);
}

gboolean
writes_after_call (Writes *w, Stop *stop, GError **error)
{
  static const char *const reasons[] = {
    [STOP_EXITED] = "the program would exit",
    [STOP_KILLED] = "the program would be killed",
    [STOP_END] = "it does what a copy cannot do",
    [STOP_ERROR] = "it does what a copy cannot do",
  };

  if (w->state != RUN)
    return TRUE;
  if (stop->kind < G_N_ELEMENTS (reasons) && reasons[stop->kind] != NULL)
    {
      g_autofree char *text = g_strdup_printf ("[The called function ended: %s.  Nothing of that has happened.]\n",
                                               reasons[stop->kind]);

      wire_console (w->server->wire, text);
      /* Shown as killed; it stands where the call began.  */
      *stop = (Stop) { .kind = STOP_SIGNAL, .signo = SIGKILL, .thread = w->thread };
      return renew_diversion (w, error) && set_session_state (w->server->session, w->thread, &w->call, error);
    }
  remember_result (w);
  return TRUE;
}

gboolean
writes_divert (Writes *w, GError **error)
{
  if (w->state == ASKED)
    return TRUE;
  if (!end_diversion (w, error) || !session_divert (w->server->session, error))
    return FALSE;
  g_array_set_size (w->staged, 0);
  clear_journal (w);
  w->state = ASKED;
  return TRUE;
}

/* A change of registers that is to last stays staged.  */
gboolean
writes_end_divert (Writes *w, GError **error)
{
  clear_journal (w);
  return end_diversion (w, error);
}
