/* Forward at the frontier: the live program runs and is recorded.

   The recorder returns at every stop of the user's, and now and then for a
   snapshot.  After each stop a copy of the program is made, which is the
   new `here'; so all looking is done at a copy, and the live program stays
   as it is.

   When the program ends there is nothing to copy any more: `here' is then
   made by replay, in front of the last event.  */

#include "timeline/private.h"

#include "base/error.h"

#include <string.h>
#include <sys/wait.h>

typedef struct
{
  Session *session;
  Trap *trap;
} LiveContext;

static gboolean
ask_condition (const Task *task, ThreadNo thread, const Regs *regs, gpointer user)
{
  const LiveContext *context = user;
  gboolean stop;

  context->session->looking = task;
  stop = context->trap->condition (context->session, thread, regs, context->trap->user);
  context->session->looking = NULL;
  return stop;
}

/* --- Requests --- */

static void
free_context (gpointer data)
{
  g_free (((LiveBreak *) data)->user);
}

static GArray *
make_breaks (Session *session)
{
  GArray *breaks = g_array_new (FALSE, TRUE, sizeof (LiveBreak));

  g_array_set_clear_func (breaks, free_context);
  for (guint i = 0; i < session->traps->len; i++)
    {
      Trap *trap = g_ptr_array_index (session->traps, i);
      LiveBreak b = { .addr = trap->addr };

      if (trap->kind != SESSION_BREAK)
        continue;
      if (trap->condition != NULL)
        {
          LiveContext *context = g_new0 (LiveContext, 1);

          context->session = session;
          context->trap = trap;
          b.condition = ask_condition;
          b.user = context;
        }
      g_array_append_val (breaks, b);
    }
  return breaks;
}

static void
fill_request (Session *session, const SessionRequest *from, const Armed *armed, const GArray *breaks,
              LiveRequest *request)
{
  gboolean steps = from->how != SESSION_CONTINUE;

  *request = (LiveRequest){ .step = steps ? from->thread : NO_THREAD,
                            .locked = from->only_thread,
                            .signo = from->signo,
                            .signal_thread = from->thread,
                            .breaks = (const LiveBreak *) breaks->data,
                            .n_breaks = breaks->len,
                            .n_watches = armed->request.n_watches,
                            .pass_signals = session->pass,
                            .stop_signals = TRUE,
                            .catch_all_calls = session->catch != NULL && session->catch->len == 0,
                            .catch_calls = session->catch,
                            .report = session->report,
                            .max_usec = session->options.snapshot_usec };
  if (from->how == SESSION_RANGE)
    {
      request->range_start = from->start;
      request->range_end = from->end;
    }
  for (gsize i = 0; i < armed->request.n_watches; i++)
    request->watches[i] = (LiveWatch){ armed->request.watches[i].addr, armed->request.watches[i].length,
                                       armed->request.watches[i].type };
}

/* --- Stops --- */

static void
translate_stop (Session *session, const LiveStop *live, Stop *stop)
{
  static const StopKind kinds[] = {
    [LIVE_STEP] = STOP_STEP,
    [LIVE_BREAK] = STOP_BREAK,
    [LIVE_WATCH] = STOP_WATCH,
    [LIVE_SIGNAL] = STOP_SIGNAL,
    [LIVE_END] = STOP_EXITED,
    [LIVE_INTERRUPT] = STOP_INTERRUPT,
    [LIVE_SYSCALL_ENTRY] = STOP_SYSCALL_ENTRY,
    [LIVE_SYSCALL_RETURN] = STOP_SYSCALL_RETURN,
    [LIVE_FORK] = STOP_FORK,
    [LIVE_VFORK] = STOP_VFORK,
    [LIVE_CLONE] = STOP_CLONE,
    [LIVE_EXEC] = STOP_EXEC,
    [LIVE_THREAD_EXIT] = STOP_THREAD_EXIT,
    [LIVE_EVENTS] = STOP_INTERRUPT,
  };

  *stop = (Stop){ .kind = kinds[live->kind], .thread = live->thread, .signo = live->signo, .status = live->status,
                  .addr = live->addr, .nr = live->nr, .pid = live->pid, .new_thread = live->new_thread };
  if (live->kind == LIVE_SIGNAL)
    {
      session->siginfo = live->siginfo;
      session->has_siginfo = TRUE;
    }
  if (live->kind == LIVE_END && WIFSIGNALED (live->status))
    {
      stop->kind = STOP_KILLED;
      stop->signo = WTERMSIG (live->status);
    }
  else if (live->kind == LIVE_END)
    stop->status = WEXITSTATUS (live->status);
}

/* Which watch was it, and does it count?  */
static gboolean
watch_counts (Armed *armed, Place *place, const LiveStop *live, Stop *stop)
{
  for (gsize i = 0; i < armed->request.n_watches; i++)
    if (armed->request.watches[i].addr == live->addr)
      return armed_watch_counts (armed, place, i, stop);
  return armed_watch_counts (armed, place, ANY_WATCH, stop);
}

/* The code cache of a new program is the affair of its own copies.  */
static gboolean
share_cache (Session *session, GError **error)
{
  Place *root = place_copy (session->here, error);

  if (root == NULL)
    return FALSE;
  recorder_set_root (session->recorder, root->replay);
  place_free (session->root);
  session->root = root;
  return TRUE;
}

gboolean
live_arrive (Session *session, gboolean new_program, GError **error)
{
  Replay *replay = recorder_copy (session->recorder, error);

  if (replay == NULL)
    return FALSE;
  place_free (session->here);
  session->here = place_new (replay);
  session->was_away = FALSE;
  return !new_program || share_cache (session, error);
}

/* In front of the event that ended the program.  An interrupt has come too
   late: the end is what there is to show.  */
static gboolean
arrive_at_end (Session *session, GError **error)
{
  EventNo length = log_length (session->log);
  Position last = { .event = length > session->begin.event ? length - 1 : length };
  Place *place;

  interrupt_defer ();
  place = seek_place (session, &last, FALSE, error);
  if (place == NULL)
    return FALSE;
  place_free (session->here);
  session->here = place;
  return TRUE;
}

static gboolean
exec_happened (Session *session, EventNo since)
{
  for (EventNo i = log_length (session->log); i > since; i--)
    {
      const Event *event = log_get (session->log, i - 1, NULL);

      if (event != NULL && event->kind == EV_IMAGE)
        return TRUE;
    }
  return FALSE;
}

static gboolean
run_live (Session *session, LiveRequest *request, Armed *armed, Stop *stop, GError **error)
{
  for (;;)
    {
      LiveStop live;
      EventNo before = log_length (session->log);

      if (!recorder_run (session->recorder, request, &live, error))
        return FALSE;
      session->live_stop = live;
      translate_stop (session, &live, stop);
      if (live.kind == LIVE_END)
        return arrive_at_end (session, error);
      if (!live_arrive (session, exec_happened (session, before), error))
        return FALSE;
      if (live.kind == LIVE_EVENTS || (live.kind == LIVE_WATCH && !watch_counts (armed, session->here, &live, stop)))
        {
          if (live.kind == LIVE_EVENTS)
            {
              snapshots_add (session, g_steal_pointer (&session->here), SNAP_STOP);
              armed->request.max_usec = 0;
            }
          request->signo = -1;
          if (!interrupt_wanted (session))
            continue;
          *stop = (Stop){ .kind = STOP_INTERRUPT, .thread = live.thread };
          return session->here != NULL || live_arrive (session, FALSE, error);
        }
      return TRUE;
    }
}

gboolean
move_live (Session *session, const SessionRequest *from, Stop *stop, GError **error)
{
  Armed armed;
  LiveRequest request;
  g_autoptr (GArray) breaks = make_breaks (session);
  gboolean ok;

  armed_init (&armed, session, session->here);
  fill_request (session, from, &armed, breaks, &request);
  if (session->live_stop.kind != LIVE_SIGNAL || session->was_away)
    request.signo = from->signo != 0 ? from->signo : -1;
  snapshots_add (session, g_steal_pointer (&session->here), SNAP_STOP);
  ok = run_live (session, &request, &armed, stop, error);
  armed_clear (&armed);
  if (ok)
    return TRUE;
  /* A place to stand on, whatever happened.  */
  if (session->here == NULL)
    {
      Position end;

      session_end (session, &end);
      if (recorder_has_ended (session->recorder) || !live_arrive (session, FALSE, NULL))
        session->here = seek_place (session, &end, FALSE, NULL);
    }
  return FALSE;
}
