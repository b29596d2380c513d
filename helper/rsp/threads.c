/* Packets about threads: H, T, qC, thread lists.

   The protocol names a thread pPID.TID with the numbers that the program
   knows; the session numbers threads itself, since the kernel uses a tid
   again.  The translation looks among the threads that live here.

   A process that is not ours is named by GDB after a fork event: the
   child, which runs free.  Selecting it is allowed, so that GDB can take
   its breakpoints out and detach; nothing is done there.  */

#include "rsp/server.h"

#include <string.h>

void
put_thread (Server *server, GString *out, ThreadNo thread)
{
  pid_t tid = session_tid (server->session, thread);

  if (server->client.multiprocess)
    g_string_append_printf (out, "p%x.%x", (guint) session_pid (server->session), (guint) tid);
  else
    g_string_append_printf (out, "%x", (guint) tid);
}

gboolean
server_thread_is_alive (Server *server, ThreadNo thread)
{
  g_autoptr (GArray) threads = session_threads (server->session);

  for (guint i = 0; i < threads->len; i++)
    if (g_array_index (threads, ThreadNo, i) == thread)
      return TRUE;
  return FALSE;
}

static gboolean
is_our_pid (Server *server, ThreadId id)
{
  return id.pid == TEXT_ANY || id.pid == TEXT_ALL || id.pid == session_pid (server->session);
}

ThreadNo
server_find_thread (Server *server, ThreadId id)
{
  g_autoptr (GArray) threads = NULL;

  if (!is_our_pid (server, id))
    return NO_THREAD;
  if (id.tid == TEXT_ANY || id.tid == TEXT_ALL)
    return session_current_thread (server->session);
  threads = session_threads (server->session);
  for (guint i = 0; i < threads->len; i++)
    {
      ThreadNo thread = g_array_index (threads, ThreadNo, i);

      if (session_tid (server->session, thread) == (pid_t) id.tid)
        return thread;
    }
  return NO_THREAD;
}

ThreadNo
server_general_thread (Server *server)
{
  if (server->general != NO_THREAD && server_thread_is_alive (server, server->general))
    return server->general;
  return session_current_thread (server->session);
}

/* Hg, Hc: select for other packets, for resumption.  */
static void
handle_select (Server *server, Text *args, GString *out)
{
  gboolean general = text_accept (args, 'g');
  ThreadNo thread = NO_THREAD;
  ThreadId id;

  if (!general)
    text_expect (args, 'c');
  id = text_thread (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  if (server->session == NULL)
    {
      reply_ok (out);
      return;
    }
  if (general)
    server->general_pid = is_our_pid (server, id) ? 0 : id.pid;
  if (id.tid != TEXT_ANY && id.tid != TEXT_ALL && is_our_pid (server, id))
    {
      thread = server_find_thread (server, id);
      if (thread == NO_THREAD)
        {
          reply_malformed (out);
          return;
        }
    }
  *(general ? &server->general : &server->resume) = thread;
  reply_ok (out);
}

static void
handle_alive (Server *server, Text *args, GString *out)
{
  ThreadId id = text_thread (args);

  if (text_done (args) && server_find_thread (server, id) != NO_THREAD)
    reply_ok (out);
  else
    reply_malformed (out);
}

static void
handle_current (Server *server, Text *args, GString *out)
{
  if (!text_done (args))
    reply_malformed (out);
  else if (server->session != NULL)
    {
      g_string_assign (out, "QC");
      put_thread (server, out, server_general_thread (server));
    }
}

static void
handle_first_threads (Server *server, Text *args G_GNUC_UNUSED, GString *out)
{
  g_autoptr (GArray) threads = NULL;

  if (server->session != NULL)
    threads = session_threads (server->session);
  if (threads == NULL || threads->len == 0)
    {
      g_string_assign (out, "l");
      return;
    }
  for (guint i = 0; i < threads->len; i++)
    {
      g_string_append_c (out, i == 0 ? 'm' : ',');
      put_thread (server, out, g_array_index (threads, ThreadNo, i));
    }
}

/* The first answer had them all.  */
static void
handle_more_threads (Server *server G_GNUC_UNUSED, Text *args G_GNUC_UNUSED, GString *out)
{
  g_string_assign (out, "l");
}

static void
handle_extra_info (Server *server, Text *args, GString *out)
{
  ThreadNo thread;
  g_autofree char *name = NULL;

  text_expect (args, ',');
  thread = server_find_thread (server, text_thread (args));
  if (!text_done (args) || thread == NO_THREAD)
    {
      reply_malformed (out);
      return;
    }
  name = session_thread_name (server->session, thread);
  put_hex_string (out, name != NULL && *name != '\0' ? name : "running");
}

static void
handle_thread_events (Server *server, Text *args, GString *out)
{
  guint64 on;

  text_expect (args, ':');
  on = text_hex (args);
  if (!text_done (args) || on > 1)
    {
      reply_malformed (out);
      return;
    }
  server->thread_events = on != 0;
  server_update_events (server);
  reply_ok (out);
}

const PacketRow thread_packets[] = {
  { "H", 0, handle_select },
  { "T", ROW_SESSION, handle_alive },
  { "qC", 0, handle_current },
  { "qfThreadInfo", 0, handle_first_threads },
  { "qsThreadInfo", 0, handle_more_threads },
  { "qThreadExtraInfo", ROW_SESSION, handle_extra_info },
  { "QThreadEvents", 0, handle_thread_events },
  { NULL, 0, NULL },
};
