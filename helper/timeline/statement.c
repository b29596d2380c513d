/* Back to where a statement begins.

   A client knows the lines of a program, and we its instructions.  From an
   instruction in the middle of a line the way back to the line's beginning
   is walked one instruction at a time, but over what the line calls:

     41: a  mov                     <- here, if 41 is no loop
         b  call f  . . . . . . . . . . . .
         c  add                            .  one jump back, to the call
         d  jne b   (41 is a loop)  <- ... else behind its last jump back
         b  ...
         c  store   <- from here

   The beginning is the line's first address, or behind a jump back within
   the line: a loop in one line is many statements, and the one that is
   meant is the last.  A call is found by its address and the stack pointer,
   which is the same before the call and after the return.  */

#include "timeline/private.h"

#include "base/error.h"
#include "ticks/insn.h"

/* Where a thread is.  */
typedef struct
{
  Position position;
  Regs regs;
  Insn insn;
} Spot;

static gboolean
read_spot (Place *place, ThreadNo thread, Spot *spot_ret, GError **error)
{
  guint8 code[INSN_MAX];

  if (!place_position (place, &spot_ret->position, error)
      || !replay_get_regs (place->replay, thread, &spot_ret->regs, error))
    return FALSE;
  Addr pc = spot_ret->regs.rip;
  gsize length = task_read_some (replay_task (place->replay), pc, code, sizeof code);

  return insn_decode (code, length, pc, &spot_ret->insn)
         || error_set (error, RETRO_ERROR_FAILED, "cannot decode the instruction at 0x%" G_GINT64_MODIFIER "x", pc);
}

/* The call between START and RETURN_ADDR that returns there; 0 if there is
   none.  */
static Addr
find_call (const Place *place, Addr start, Addr return_addr)
{
  const Task *task = replay_task (place->replay);

  for (Addr pc = start; pc < return_addr;)
    {
      guint8 code[INSN_MAX];
      Insn insn;

      if (!insn_decode (code, task_read_some (task, pc, code, sizeof code), pc, &insn))
        return 0;
      if (pc + insn.length == return_addr)
        return insn.kind == INSN_CALL || insn.kind == INSN_CALL_INDIRECT ? pc : 0;
      pc += insn.length;
    }
  return 0;
}

typedef struct
{
  ThreadNo thread;
  Addr stack;
} Frame;

static gboolean
is_in_frame (Session *session G_GNUC_UNUSED, ThreadNo thread, const Regs *regs, gpointer user)
{
  const Frame *frame = user;

  return thread == frame->thread && regs->rsp == frame->stack;
}

/* Back to the last time that THREAD was at PC with that stack pointer.  */
static gboolean
go_back_to (Session *session, ThreadNo thread, Addr pc, Addr stack, GError **error)
{
  const SessionRequest request = { .how = SESSION_CONTINUE, .backward = TRUE, .thread = NO_THREAD };
  GPtrArray *traps = g_steal_pointer (&session->traps);
  GArray *catch = g_steal_pointer (&session->catch);
  guint64 pass = session->pass;
  guint report = session->report;
  Frame frame = { thread, stack };
  Stop stop = { .kind = STOP_ERROR };
  gboolean ok;

  /* Nothing of the user's may stop us.  */
  session->pass = ~0ull;
  session->report = 0;
  ok = session_insert (session, SESSION_BREAK, pc, 1, is_in_frame, &frame, NULL, error)
       && move_backward (session, &request, &stop, error);
  g_ptr_array_unref (session->traps);
  session->traps = traps;
  session->catch = catch;
  session->pass = pass;
  session->report = report;
  if (!ok)
    return FALSE;
  session->thread = stop.thread;
  return stop.kind == STOP_BREAK || error_set (error, RETRO_ERROR_FAILED, "the call is not in the recording");
}

/* The statement began behind the instruction FROM if TO came next.  */
static gboolean
is_boundary (const Spot *from, const Spot *to)
{
  return from->insn.kind == INSN_CALL || from->insn.kind == INSN_CALL_INDIRECT
         || from->regs.rip > to->regs.rip;
}

/* Over the function that returned to SPOT by the instruction RETURN.
   *DONE_RET: there is no call in the line; here is as before.  */
static gboolean
step_over (Session *session, ThreadNo thread, Addr start, const Spot *spot, const Spot *from, gboolean *done_ret,
           GError **error)
{
  Addr call = find_call (session->here, start, spot->regs.rip);

  *done_ret = call == 0 || from->regs.rsp + 8 + from->insn.ret_pop != spot->regs.rsp;
  return *done_ret || go_back_to (session, thread, call, spot->regs.rsp - from->insn.ret_pop, error);
}

static gboolean
walk_back (Session *session, Addr start, Addr end, GError **error)
{
  ThreadNo thread = session->thread;
  gboolean done = FALSE;

  while (!done)
    {
      g_autoptr (GError) failed = NULL;
      Place *place;
      Spot now, before;

      if (!read_spot (session->here, thread, &now, error) || !interrupt_check (session, error))
        return FALSE;
      if (now.regs.rip == start && now.position.reps == 0)
        return TRUE;
      place = previous_place (session, &now.position, thread, &failed);
      if (place == NULL)
        {
          if (failed == NULL)
            return TRUE;
          g_propagate_error (error, g_steal_pointer (&failed));
          return FALSE;
        }
      if (!read_spot (place, thread, &before, error))
        {
          place_free (place);
          return FALSE;
        }
      if (before.insn.kind == INSN_RET)
        {
          place_free (place);
          if (!step_over (session, thread, start, &now, &before, &done, error))
            return FALSE;
          continue;
        }
      done = before.regs.rip < start || before.regs.rip >= end || is_boundary (&before, &now);
      if (done)
        {
          place_free (place);
          continue;
        }
      place_free (session->here);
      session->here = place;
    }
  return TRUE;
}

/* What has failed leaves all as it was at ORIGIN.  */
static gboolean
finish (Session *session, gboolean ok, Place *origin, ThreadNo thread)
{
  interrupt_finish (session);
  if (ok)
    {
      session->reported = G_MAXUINT64;
      session->has_siginfo = FALSE;
      place_free (origin);
      session->was_away = TRUE;
      return TRUE;
    }
  place_free (session->here);
  session->here = origin;
  session->thread = thread;
  return FALSE;
}

static Place *
begin (Session *session, GError **error)
{
  Place *origin;

  if (session->history != NULL && !session_end_diversion (session, error))
    return NULL;
  origin = place_copy (session->here, error);
  if (origin != NULL)
    interrupt_start (session);
  return origin;
}

gboolean
session_rewind (Session *session, Addr start, Addr end, GError **error)
{
  ThreadNo thread = session->thread;
  Place *origin = begin (session, error);

  return origin != NULL && finish (session, walk_back (session, start, end, error), origin, thread);
}

gboolean
session_rewind_call (Session *session, Addr start, Addr return_addr, Addr stack, GError **error)
{
  ThreadNo thread = session->thread;
  Place *origin = begin (session, error);
  Addr call;

  if (origin == NULL)
    return FALSE;
  call = find_call (session->here, start, return_addr);
  return finish (session,
                 call != 0 ? go_back_to (session, thread, call, stack, error)
                           : error_set (error, RETRO_ERROR_FAILED, "there is no call before 0x%" G_GINT64_MODIFIER "x",
                                        return_addr),
                 origin, thread);
}
