/* The server's loop: packets in, handlers, replies out.

   Names are looked up by the longest match in the tables, so `qC' and
   `qCRC' do not meet.  A name that nobody has gets the empty reply that
   the protocol demands; a packet that cannot be parsed gets E01.  */

#include "rsp/server.h"

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const PacketRow *const tables[] = {
  query_packets,   memory_packets, register_packets, trap_packets,  resume_packets, process_packets,
  thread_packets,  xfer_packets,    file_packets,   monitor_packets,  retro_packets, search_packets,
  tls_packets,
};

static gboolean
name_matches (const char *name, const char *data, gsize length)
{
  gsize n = strlen (name);

  if (length < n || memcmp (name, data, n) != 0)
    return FALSE;
  return n == 1 || length == n || !g_ascii_isalnum (name[n - 1]) || !g_ascii_isalpha (data[n]);
}

/* One-letter packets take their arguments at once: only those that are not
   the start of a family (q, Q, v).  */
static const PacketRow *
find_row (const char *data, gsize length)
{
  const PacketRow *best = NULL;

  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const PacketRow *row = tables[t]; row->name != NULL; row++)
      if (name_matches (row->name, data, length) && (best == NULL || strlen (row->name) > strlen (best->name)))
        best = row;
  return best;
}

static void
dispatch (Server *server, const char *data, gsize length, GString *out)
{
  const PacketRow *row = find_row (data, length);
  Text args;

  if (row == NULL)
    return;
  if (row->flags & ROW_SESSION && server->session == NULL)
    {
      reply_message (out, "no program is being recorded");
      return;
    }
  if (row->flags & ROW_MOVES && server->search != NULL)
    {
      reply_message (out, "a search is going on");
      return;
    }
  text_init (&args, data, length);
  args.at += strlen (row->name);
  row->handle (server, &args, out);
}

gboolean
server_turn (Server *server)
{
  g_autoptr (GString) out = g_string_new (NULL);
  const char *data;
  gsize length;
  g_autofree char *copy = NULL;

  switch (wire_read (server->wire, &data, &length))
    {
    case WIRE_CLOSED:
      return FALSE;
    case WIRE_INTERRUPT: /* nothing runs  */
      return TRUE;
    case WIRE_BAD:
      reply_malformed (out);
      break;
    case WIRE_PACKET:
      /* A search reads further packets while this one is handled.  */
      copy = g_memdup2 (data, length + 1);
      server->no_reply = FALSE;
      dispatch (server, copy, length, out);
      if (server->no_reply)
        {
          server->no_reply = FALSE;
          return TRUE;
        }
      break;
    }
  wire_send (server->wire, out->str, out->len);
  return TRUE;
}

void
server_notice (Server *server, const char *format, ...)
{
  g_autofree char *text = NULL;
  g_autofree char *line = NULL;
  va_list args;

  if (server->options->notice_fd < 0)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  line = g_strdup_printf ("%s\n", text);
  /* Nothing can be done about a failure.  */
  if (write (server->options->notice_fd, line, strlen (line)) < 0)
    errno = 0;
}

static gboolean
look_for_interrupt (gpointer user)
{
  return wire_interrupted (((Server *) user)->wire);
}

void
server_update_events (Server *server)
{
  const ClientFeatures *client = &server->client;

  if (server->session != NULL)
    session_report_events (server->session, (client->fork_events ? SESSION_REPORT_FORK : 0)
                                              | (client->vfork_events ? SESSION_REPORT_VFORK : 0)
                                              | (client->exec_events ? SESSION_REPORT_EXEC : 0)
                                              | (server->thread_events ? SESSION_REPORT_CLONE | SESSION_REPORT_EXIT : 0));
}

void
server_moved (Server *server)
{
  writes_reset (server->writes);
  server->general_pid = 0;
  server->general = server->resume = NO_THREAD;
  server->vfork_done = FALSE;
  server->stop = (Stop) { .kind = STOP_STEP, .thread = session_current_thread (server->session) };
}

void
server_end_session (Server *server)
{
  g_clear_pointer (&server->session, session_free);
  writes_reset (server->writes);
  server->ended = FALSE;
  server->attached = FALSE;
}

void
server_set_session (Server *server, Session *session)
{
  server_end_session (server);
  server->session = session;
  session_set_interrupt (session, wire_fd (server->wire), look_for_interrupt, server);
  server_update_events (server);
  session_pass_signals (session, server->pass_signals);
  session_catch_syscalls (session, server->catch_calls);
  trap_table_reinsert (server);
  server_moved (server);
}

/* What the options ask for, before the first packet.  */
static gboolean
open_first_session (Server *server, GError **error)
{
  const ServeOptions *options = server->options;
  Session *session;

  if (options->recording != NULL)
    session = session_open (options->recording, !options->at_begin, &server->session_options, error);
  else if (options->attach != 0)
    session = session_attach (options->attach, &server->session_options, error);
  else
    return options->start ? server_start (server, error) : TRUE;
  if (session == NULL)
    return FALSE;
  server_set_session (server, session);
  server->attached = TRUE;
  return TRUE;
}

gboolean
serve_run (const ServeOptions *options, int in_fd, int out_fd, GError **error)
{
  Server server = { .options = options, .session_options = options->session, .general = NO_THREAD, .resume = NO_THREAD };
  gboolean ok;

  server.session_options.dir = g_strdup (options->session.dir);
  server.wire = wire_new (in_fd, out_fd);
  server.traps = trap_table_new ();
  server.files = host_files_new ();
  server.writes = writes_new (&server);
  run_settings_init (&server.run);
  server.run.argv = g_strdupv (options->argv);

  ok = open_first_session (&server, error);
  while (ok && !server.quit && server_turn (&server))
    continue;

  server_end_session (&server);
  run_settings_clear (&server.run);
  writes_free (server.writes);
  host_files_free (server.files);
  trap_table_free (server.traps);
  wire_free (server.wire);
  g_clear_pointer (&server.catch_calls, g_array_unref);
  g_free (server.session_options.dir);
  return ok;
}
