/* qRetro and QRetro: what the extension asks, see doc/protocol.md.

   Replies are made of key=value pairs by put_number and put_text; numbers
   are hexadecimal, strings hex-encoded.  Searches are in search.c.  */

#include "rsp/server.h"

#include "base/error.h"
#include "sys/sys.h"

#include <string.h>

void
put_position (GString *out, const char *key, const Position *position)
{
  if (out->len > 0 && out->str[out->len - 1] != '|')
    g_string_append_c (out, ';');
  g_string_append_printf (out, "%s=%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER
                          "x,%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER "x",
                          key, position->event, position->ticks, position->insn, position->reps, position->pc);
}

static void
put_thread_pair (Server *server, GString *out, ThreadNo thread)
{
  g_string_append (out, ";thread=");
  put_thread (server, out, thread);
}

void
put_moment (Server *server, GString *out)
{
  Session *session = server->session;
  Position here;

  session_position (session, &here);
  put_position (out, "now", &here);
  put_thread_pair (server, out, session_current_thread (session));
  put_number (out, "live", session_is_live (session));
  put_number (out, "frontier", session_at_frontier (session));
  put_number (out, "begin", session_at_begin (session));
  put_number (out, "diversion", session_in_diversion (session));
  put_number (out, "time", session_time (session, here.event));
  put_number (out, "ended", server->ended && position_compare (&here, &server->end_position) == 0);
}

static void
handle_version (Server *server G_GNUC_UNUSED, Text *args, GString *out)
{
  if (text_done (args))
    put_number (out, "version", 1);
  else
    reply_malformed (out);
}

static void
handle_position (Server *server, Text *args, GString *out)
{
  if (text_done (args))
    put_moment (server, out);
  else
    reply_malformed (out);
}

static void
handle_timeline (Server *server, Text *args, GString *out)
{
  Session *session = server->session;
  Position begin, here, end;
  guint count;
  guint64 bytes;

  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  session_begin (session, &begin);
  session_position (session, &here);
  session_end (session, &end);
  session_snapshot_stats (session, &count, &bytes);
  put_position (out, "begin", &begin);
  put_position (out, "now", &here);
  put_position (out, "end", &end);
  put_number (out, "begin-time", session_time (session, begin.event));
  put_number (out, "now-time", session_time (session, here.event));
  put_number (out, "end-time", session_time (session, end.event));
  put_number (out, "live", session_is_live (session));
  put_number (out, "snapshots", count);
  put_number (out, "snapshot-bytes", bytes);
  put_text (out, "dir", log_dir (session_log (session)));
}

static void
handle_event (Server *server, Text *args, GString *out)
{
  const Event *event;
  GError *error = NULL;
  guint64 number;

  text_expect (args, ':');
  number = text_hex (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  if (number >= log_length (session_log (server->session)))
    {
      reply_message (out, "there is no such event");
      return;
    }
  event = log_get (session_log (server->session), number, &error);
  if (event == NULL)
    {
      reply_error (out, error);
      return;
    }
  put_number (out, "event", number);
  put_text (out, "kind", event_kind_name (event->kind));
  put_thread_pair (server, out, event->thread);
  if (event->kind == EV_SYSCALL || event->kind == EV_ENTER || event->kind == EV_EXIT)
    {
      put_number (out, "nr", (guint64) event->nr);
      put_text (out, "call", sys_name (event->nr));
    }
  if (event->kind == EV_SIGNAL)
    put_number (out, "signo", (guint64) event->signo);
}

static void
handle_snapshots (Server *server, Text *args, GString *out)
{
  g_autoptr (GArray) positions = session_snapshot_positions (server->session);

  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  put_number (out, "count", positions->len);
  for (guint i = 0; i < positions->len; i++)
    {
      g_string_append_c (out, '|');
      put_position (out, "at", &g_array_index (positions, Position, i));
    }
}

static void
handle_digest (Server *server, Text *args, GString *out)
{
  GError *error = NULL;
  guint64 digest;

  if (!text_done (args))
    reply_malformed (out);
  else if (session_digest (server->session, &digest, &error))
    put_number (out, "digest", digest);
  else
    reply_error (out, error);
}

/* ---- Moving ---- */

gboolean
text_position (Text *args, Position *position_ret)
{
  position_ret->event = text_hex (args);
  text_expect (args, ',');
  position_ret->ticks = text_hex (args);
  text_expect (args, ',');
  position_ret->insn = text_hex (args);
  text_expect (args, ',');
  position_ret->reps = text_hex (args);
  position_ret->pc = text_accept (args, ',') ? text_hex (args) : 0;
  return !args->failed;
}

gboolean
server_seek_part (Server *server, guint64 millionths, GError **error)
{
  Position begin, end;

  session_begin (server->session, &begin);
  session_end (server->session, &end);
  if (millionths >= 1000000)
    return session_seek (server->session, &end, error);
  if (millionths == 0)
    return session_seek (server->session, &begin, error);
  return session_seek_event (server->session, begin.event + (end.event - begin.event) * millionths / 1000000, error);
}

typedef gboolean (*SeekFunc) (Server *server, Text *args, GError **error);

static gboolean
malformed (GError **error)
{
  return error_set (error, RETRO_ERROR_FORMAT, "malformed packet");
}

static gboolean
seek_begin (Server *server, Text *args, GError **error)
{
  return text_done (args) ? server_seek_part (server, 0, error) : malformed (error);
}

static gboolean
seek_end (Server *server, Text *args, GError **error)
{
  return text_done (args) ? server_seek_part (server, 1000000, error) : malformed (error);
}

static gboolean
seek_part (Server *server, Text *args, GError **error)
{
  guint64 part = text_hex (args);

  return text_done (args) && part <= 1000000 ? server_seek_part (server, part, error) : malformed (error);
}

static gboolean
seek_event (Server *server, Text *args, GError **error)
{
  guint64 event = text_hex (args);

  return text_done (args) ? session_seek_event (server->session, event, error) : malformed (error);
}

static gboolean
seek_position (Server *server, Text *args, GError **error)
{
  Position position;

  return text_position (args, &position) && text_done (args) ? session_seek (server->session, &position, error)
                                                             : malformed (error);
}

static gboolean
seek_checkpoint (Server *server, Text *args, GError **error)
{
  g_autofree char *name = text_hex_string (args);
  const Checkpoint *checkpoint;
  Position position;

  if (!text_done (args))
    return malformed (error);
  checkpoint = session_find_checkpoint (server->session, name, error);
  if (checkpoint == NULL)
    return FALSE;
  position = checkpoint->position;
  return session_seek (server->session, &position, error);
}

static const struct
{
  const char *name;
  SeekFunc seek;
} seeks[] = {
  { "begin", seek_begin },   { "end", seek_end },           { "part:", seek_part },
  { "event:", seek_event },  { "position:", seek_position }, { "checkpoint:", seek_checkpoint },
};

static void
handle_seek (Server *server, Text *args, GString *out)
{
  GError *error = NULL;

  text_expect (args, ':');
  for (gsize i = 0; i < G_N_ELEMENTS (seeks); i++)
    if (text_accept_word (args, seeks[i].name))
      {
        if (!writes_end_divert (server->writes, &error) || !seeks[i].seek (server, args, &error))
          {
            reply_error (out, error);
            return;
          }
        server_moved (server);
        put_moment (server, out);
        return;
      }
  reply_malformed (out);
}

/* ---- Checkpoints ---- */

static void
put_checkpoint (Server *server, const Checkpoint *checkpoint, GString *out)
{
  put_number (out, "number", (guint64) checkpoint->number);
  put_text (out, "name", checkpoint->name);
  put_position (out, "at", &checkpoint->position);
  put_thread_pair (server, out, checkpoint->thread);
  put_number (out, "time", session_time (server->session, checkpoint->position.event));
}

static void
handle_checkpoints (Server *server, Text *args, GString *out)
{
  const GPtrArray *all = session_checkpoints (server->session);

  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  put_number (out, "count", all->len);
  for (guint i = 0; i < all->len; i++)
    {
      g_string_append_c (out, '|');
      put_checkpoint (server, g_ptr_array_index (all, i), out);
    }
}

static void
handle_checkpoint (Server *server, Text *args, GString *out)
{
  g_autofree char *name = text_accept (args, ':') ? text_hex_string (args) : NULL;
  const Checkpoint *checkpoint;
  GError *error = NULL;

  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  checkpoint = session_checkpoint (server->session, name != NULL && *name != '\0' ? name : NULL, &error);
  if (checkpoint != NULL)
    put_checkpoint (server, checkpoint, out);
  else
    reply_error (out, error);
}

static void
handle_delete_checkpoint (Server *server, Text *args, GString *out)
{
  g_autofree char *name = NULL;
  GError *error = NULL;

  text_expect (args, ':');
  name = text_hex_string (args);
  if (!text_done (args))
    reply_malformed (out);
  else if (session_delete_checkpoint (server->session, name, &error))
    reply_ok (out);
  else
    reply_error (out, error);
}

/* ---- Settings ---- */

static void
handle_settings (Server *server, Text *args, GString *out)
{
  const SessionOptions *options = &server->session_options;

  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  put_number (out, "snapshot-memory", options->snapshot_memory);
  put_number (out, "snapshot-interval", options->snapshot_usec);
  put_number (out, "seed", options->seed);
  put_text (out, "dir", options->dir);
}

static gboolean
set_snapshot_memory (Server *server, Text *args)
{
  guint64 bytes = text_hex (args);

  if (!text_done (args))
    return FALSE;
  server->session_options.snapshot_memory = bytes;
  if (server->session != NULL)
    session_set_snapshot_memory (server->session, bytes);
  return TRUE;
}

static gboolean
set_snapshot_interval (Server *server, Text *args)
{
  guint64 usec = text_hex (args);

  if (!text_done (args))
    return FALSE;
  server->session_options.snapshot_usec = usec;
  if (server->session != NULL)
    session_set_snapshot_interval (server->session, usec);
  return TRUE;
}

static gboolean
set_seed (Server *server, Text *args)
{
  guint64 seed = text_hex (args);

  if (!text_done (args) || seed > G_MAXUINT32)
    return FALSE;
  server->session_options.seed = (guint32) seed;
  return TRUE;
}

static gboolean
set_dir (Server *server, Text *args)
{
  g_autofree char *dir = text_hex_string (args);

  if (!text_done (args))
    return FALSE;
  g_free (server->session_options.dir);
  server->session_options.dir = *dir != '\0' ? g_steal_pointer (&dir) : NULL;
  return TRUE;
}

static const struct
{
  const char *name;
  gboolean (*set) (Server *server, Text *args);
} settings[] = {
  { "snapshot-memory=", set_snapshot_memory },
  { "snapshot-interval=", set_snapshot_interval },
  { "seed=", set_seed },
  { "dir=", set_dir },
};

static void
handle_set (Server *server, Text *args, GString *out)
{
  text_expect (args, ':');
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    if (text_accept_word (args, settings[i].name) && settings[i].set (server, args))
      {
        reply_ok (out);
        return;
      }
  reply_malformed (out);
}

/* ---- Diversions, saving ---- */

static void
handle_divert (Server *server, Text *args, GString *out)
{
  GError *error = NULL;

  if (!text_done (args))
    reply_malformed (out);
  else if (writes_divert (server->writes, &error))
    reply_ok (out);
  else
    reply_error (out, error);
}

static void
handle_end_divert (Server *server, Text *args, GString *out)
{
  GError *error = NULL;

  if (!text_done (args))
    reply_malformed (out);
  else if (writes_end_divert (server->writes, &error))
    reply_ok (out);
  else
    reply_error (out, error);
}

static void
handle_save (Server *server, Text *args, GString *out)
{
  g_autofree char *dir = NULL;
  GError *error = NULL;
  Position from;
  gboolean whole;

  text_expect (args, ':');
  dir = text_hex_string (args);
  whole = !text_accept (args, ':');
  if (!whole)
    text_position (args, &from);
  if (!text_done (args))
    reply_malformed (out);
  else if (session_save (server->session, dir, whole ? NULL : &from, &error))
    reply_ok (out);
  else
    reply_error (out, error);
}

const PacketRow retro_packets[] = {
  { "qRetro:Version", 0, handle_version },
  { "qRetro:Position", ROW_SESSION, handle_position },
  { "qRetro:Timeline", ROW_SESSION, handle_timeline },
  { "qRetro:Event", ROW_SESSION, handle_event },
  { "qRetro:Snapshots", ROW_SESSION, handle_snapshots },
  { "qRetro:Digest", ROW_SESSION, handle_digest },
  { "qRetro:Checkpoints", ROW_SESSION, handle_checkpoints },
  { "qRetro:Settings", 0, handle_settings },
  { "QRetro:Seek", ROW_SESSION | ROW_MOVES, handle_seek },
  { "QRetro:Checkpoint", ROW_SESSION, handle_checkpoint },
  { "QRetro:DeleteCheckpoint", ROW_SESSION, handle_delete_checkpoint },
  { "QRetro:Set", 0, handle_set },
  { "QRetro:Divert", ROW_SESSION, handle_divert },
  { "QRetro:EndDivert", ROW_SESSION, handle_end_divert },
  { "QRetro:Save", ROW_SESSION | ROW_MOVES, handle_save },
  { NULL, 0, NULL },
};
