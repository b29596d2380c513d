/* Packets that move the program: vCont, c, s, C, S, bs, bc, and `?'.

   All-stop: one request, one stop reply; console output may come before
   it.  vCont's actions are for threads, the leftmost that fits counts;
   since one thread runs at a time, the one that steps decides what is
   done, and whether others may run meanwhile depends on whether any
   action is for them.

   The end of the program is not the end of the session: first the last
   moment is shown, as the end of history ("replaylog:end"), and only a
   continuation from there tells GDB that the program is gone.  GDB would
   otherwise forget the program together with its past.  */

#include "rsp/server.h"

#include "base/error.h"

#include <string.h>
#include <sys/wait.h>

/* One action of a vCont packet.  */
typedef struct
{
  char what; /* c, s, r, t  */
  int signo;
  Addr start, end;
  gboolean for_all; /* of the program  */
  ThreadNo thread;
} Action;

void
put_end (Server *server, GString *out)
{
  const Stop *end = &server->end;

  if (end->kind == STOP_EXITED)
    g_string_append_printf (out, "W%02x", (guint) end->status & 255);
  else
    g_string_append_printf (out, "X%02x", (guint) signal_to_gdb (end->signo));
  if (server->client.multiprocess)
    g_string_append_printf (out, ";process:%x", (guint) session_pid (server->session));
}

/* The program has just ended.  */
static void
note_end (Server *server)
{
  g_autofree char *text = NULL;

  if (!server->ended)
    {
      if (server->stop.kind == STOP_EXITED)
        text = g_strdup_printf ("[process %d exited with status %d.  This is its last moment: go back from here, "
                                "or continue to end it.]\n",
                                (int) session_pid (server->session), server->stop.status & 255);
      else
        text = g_strdup_printf ("[process %d was killed by %s.  This is its last moment: go back from here, "
                                "or continue to end it.]\n",
                                (int) session_pid (server->session), strsignal (server->stop.signo));
      wire_console (server->wire, text);
    }
  server->ended = TRUE;
  server->end = server->stop;
  session_position (server->session, &server->end_position);
}

/* Does going forward from here only end the program?  */
static gboolean
is_last_moment (Server *server)
{
  Position here;

  if (!server->ended || session_in_diversion (server->session))
    return FALSE;
  session_position (server->session, &here);
  return position_compare (&here, &server->end_position) == 0;
}

/* The stop reply of something that did not work: where we were, and why
   on the console.  */
static void
put_failure (Server *server, const GError *error, GString *out)
{
  g_autofree char *text = g_strdup_printf ("[%s]\n", error != NULL ? error->message : "It did not work.");

  wire_console (server->wire, text);
  server->stop = (Stop) { .kind = STOP_ERROR, .thread = session_current_thread (server->session) };
  put_stop (server, out);
}

/* GDB passes or drops signals as `handle' and `signal' say.  */
static void
say_signals (Server *server, const SessionRequest *request)
{
  int signo = server->stop.kind == STOP_SIGNAL ? server->stop.signo : 0;

  if (server->said_signals || request->backward || request->signo == signo || session_at_frontier (server->session))
    return;
  server->said_signals = TRUE;
  server_notice (server, "This is the past: the program gets the signals that it got.");
}

static void
move (Server *server, SessionRequest *request, GString *out)
{
  g_autoptr (GError) error = NULL;
  gboolean call;

  if (server->vfork_done)
    {
      server->vfork_done = FALSE;
      g_string_append (out, "T05vforkdone:;thread:");
      put_thread (server, out, server->stop.thread);
      g_string_append_c (out, ';');
      return;
    }
  if (!writes_before_resume (server->writes, request, &call, &error))
    {
      put_failure (server, error, out);
      return;
    }
  if (!call && server->search != NULL)
    {
      error_set (&error, RETRO_ERROR_USAGE, "A search is going on.");
      put_failure (server, error, out);
      return;
    }
  if (!call && !request->backward && is_last_moment (server))
    {
      put_end (server, out);
      server_end_session (server);
      return;
    }
  if (!call)
    say_signals (server, request);
  memset (&server->stop, 0, sizeof server->stop);
  if (!session_resume (server->session, request, &server->stop, &error) && server->stop.kind != STOP_ERROR)
    server->stop = (Stop) { .kind = STOP_ERROR, .thread = session_current_thread (server->session) };
  if (call)
    {
      g_autoptr (GError) call_error = NULL;

      if (error != NULL)
        server_notice (server, "%s", error->message);
      if (!writes_after_call (server->writes, &server->stop, &call_error))
        {
          put_failure (server, call_error, out);
          return;
        }
    }
  else if (server->stop.kind == STOP_ERROR)
    {
      put_failure (server, error, out);
      return;
    }
  else if (server->stop.kind == STOP_EXITED || server->stop.kind == STOP_KILLED)
    note_end (server);
  server->vfork_done = server->stop.kind == STOP_VFORK; /* whichever way: GDB waits for it  */
  server->general = NO_THREAD;
  put_stop (server, out);
}

/* The thread of Hc, or the current one.  */
static ThreadNo
resume_thread (Server *server)
{
  if (server->resume != NO_THREAD && server_thread_is_alive (server, server->resume))
    return server->resume;
  return session_current_thread (server->session);
}

/* ---- vCont ---- */

static gboolean
parse_action (Server *server, Text *args, Action *action)
{
  ThreadId id;

  *action = (Action) { .what = text_peek (args), .for_all = TRUE, .thread = NO_THREAD };
  if (args->at == args->end || strchr ("cCsSrt", action->what) == NULL)
    return FALSE;
  args->at++;
  if (g_ascii_isupper (action->what))
    {
      action->signo = signal_from_gdb ((int) (text_hex (args) & 255));
      action->what = g_ascii_tolower (action->what);
    }
  if (action->what == 'r')
    {
      action->start = text_hex (args);
      text_expect (args, ',');
      action->end = text_hex (args);
    }
  if (text_accept (args, ':'))
    {
      id = text_thread (args);
      if (id.tid != TEXT_ALL)
        {
          action->for_all = FALSE;
          action->thread = server_find_thread (server, id);
        }
    }
  return !args->failed;
}

/* The request that ACTIONS amount to.  A signal goes to the thread that
   has it, or that the stop was in.  */
static void
combine_actions (Server *server, const GArray *actions, SessionRequest *request)
{
  const Action *stepping = NULL, *alone = NULL, *signals = NULL;
  gboolean all = FALSE;

  memset (request, 0, sizeof *request);
  request->thread = NO_THREAD;
  for (guint i = 0; i < actions->len && !all; i++)
    {
      const Action *action = &g_array_index (actions, Action, i);

      if (action->what == 't')
        continue;
      if (stepping == NULL && action->what != 'c')
        stepping = action;
      if (signals == NULL && action->signo != 0)
        signals = action;
      if (!action->for_all && alone == NULL)
        alone = action;
      all = action->for_all;
    }
  request->only_thread = !all;
  if (stepping != NULL)
    {
      request->how = stepping->what == 's' ? SESSION_STEP : SESSION_RANGE;
      request->start = stepping->start;
      request->end = stepping->end;
      request->thread = stepping->thread;
    }
  else if (!all && alone != NULL)
    request->thread = alone->thread;
  else if (signals != NULL)
    request->thread = signals->thread;
  if (signals != NULL)
    request->signo = signals->signo;
  if (request->thread == NO_THREAD)
    request->thread = session_current_thread (server->session);
}

static void
handle_vcont (Server *server, Text *args, GString *out)
{
  g_autoptr (GArray) actions = g_array_new (FALSE, FALSE, sizeof (Action));
  SessionRequest request;

  do
    {
      Action action;

      text_expect (args, ';');
      if (args->failed || !parse_action (server, args, &action))
        {
          reply_malformed (out);
          return;
        }
      g_array_append_val (actions, action);
    }
  while (!text_done (args));
  combine_actions (server, actions, &request);
  move (server, &request, out);
}

static void
handle_vcont_query (Server *server G_GNUC_UNUSED, Text *args G_GNUC_UNUSED, GString *out)
{
  g_string_assign (out, "vCont;c;C;s;S;r;t");
}

/* ---- The old packets ---- */

static void
move_simply (Server *server, Text *args, GString *out, SessionHow how, gboolean with_signal)
{
  SessionRequest request = { .how = how, .thread = resume_thread (server) };

  if (with_signal)
    request.signo = signal_from_gdb ((int) (text_hex (args) & 255));
  /* "c ADDR" would be a jump: GDB sets the pc instead.  */
  if (text_done (args))
    move (server, &request, out);
  else
    reply_malformed (out);
}

static void
handle_continue (Server *server, Text *args, GString *out)
{
  move_simply (server, args, out, SESSION_CONTINUE, FALSE);
}

static void
handle_continue_signal (Server *server, Text *args, GString *out)
{
  move_simply (server, args, out, SESSION_CONTINUE, TRUE);
}

static void
handle_step (Server *server, Text *args, GString *out)
{
  move_simply (server, args, out, SESSION_STEP, FALSE);
}

static void
handle_step_signal (Server *server, Text *args, GString *out)
{
  move_simply (server, args, out, SESSION_STEP, TRUE);
}

static void
move_back (Server *server, Text *args, GString *out, SessionHow how)
{
  SessionRequest request = { .how = how, .backward = TRUE, .thread = resume_thread (server) };

  if (text_done (args))
    move (server, &request, out);
  else
    reply_malformed (out);
}

static void
handle_back_step (Server *server, Text *args, GString *out)
{
  move_back (server, args, out, SESSION_STEP);
}

static void
handle_back_continue (Server *server, Text *args, GString *out)
{
  move_back (server, args, out, SESSION_CONTINUE);
}

static void
handle_why (Server *server, Text *args, GString *out)
{
  if (!text_done (args))
    reply_malformed (out);
  else if (server->session == NULL)
    g_string_assign (out, "W00");
  else
    put_stop (server, out);
}

const PacketRow resume_packets[] = {
  { "vCont", ROW_SESSION, handle_vcont },
  { "vCont?", 0, handle_vcont_query },
  { "c", ROW_SESSION, handle_continue },
  { "C", ROW_SESSION, handle_continue_signal },
  { "s", ROW_SESSION, handle_step },
  { "S", ROW_SESSION, handle_step_signal },
  { "bs", ROW_SESSION, handle_back_step },
  { "bc", ROW_SESSION, handle_back_continue },
  { "?", 0, handle_why },
  { NULL, 0, NULL },
};
