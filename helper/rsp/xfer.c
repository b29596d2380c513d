/* qXfer: objects read in pieces.

     qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH   ->   m DATA (more) or l DATA (last)

   A row for each object makes the whole of it anew for each piece; they
   are small, and what they tell of cannot change while the program is
   stopped.  */

#include "rsp/server.h"

#include <string.h>

/* A new GBytes, or NULL if there is no such ANNEX.  */
typedef GBytes *(*ObjectFunc) (Server *server, const char *annex);

static GBytes *
read_features (Server *server G_GNUC_UNUSED, const char *annex)
{
  const char *xml = registers_xml ();

  return g_str_equal (annex, "target.xml") ? g_bytes_new_static (xml, strlen (xml)) : NULL;
}

static GBytes *
read_auxv (Server *server, const char *annex G_GNUC_UNUSED)
{
  return server->session != NULL ? session_auxv (server->session) : NULL;
}

static GBytes *
read_threads (Server *server, const char *annex G_GNUC_UNUSED)
{
  g_autoptr (GString) xml = g_string_new ("<?xml version=\"1.0\"?>\n<threads>\n");
  g_autoptr (GArray) threads = NULL;

  if (server->session != NULL)
    threads = session_threads (server->session);
  for (guint i = 0; threads != NULL && i < threads->len; i++)
    {
      ThreadNo thread = g_array_index (threads, ThreadNo, i);
      g_autofree char *name = session_thread_name (server->session, thread);
      g_autofree char *escaped = NULL;

      g_string_append (xml, "<thread id=\"");
      put_thread (server, xml, thread);
      g_string_append (xml, "\" core=\"0\"");
      /* The program chooses the name: it need not be UTF-8.  */
      if (name != NULL && *name != '\0')
        {
          g_autofree char *valid = g_utf8_make_valid (name, -1);

          escaped = g_markup_escape_text (valid, -1);
          g_string_append_printf (xml, " name=\"%s\"", escaped);
        }
      g_string_append (xml, "/>\n");
    }
  g_string_append (xml, "</threads>\n");
  return g_string_free_to_bytes (g_steal_pointer (&xml));
}

static GBytes *
read_siginfo (Server *server, const char *annex G_GNUC_UNUSED)
{
  const siginfo_t *info = server->session != NULL ? session_siginfo (server->session) : NULL;

  return info != NULL ? g_bytes_new (info, sizeof *info) : NULL;
}

static GBytes *
read_exec_file (Server *server, const char *annex G_GNUC_UNUSED)
{
  char *path = server->session != NULL ? session_exec_file (server->session) : NULL;

  return path != NULL ? g_bytes_new_take (path, strlen (path)) : NULL;
}

static const struct
{
  const char *name;
  ObjectFunc read;
} objects[] = {
  { "features", read_features }, { "auxv", read_auxv },           { "threads", read_threads },
  { "siginfo", read_siginfo },   { "exec-file", read_exec_file },
};

static void
put_piece (GBytes *object, guint64 offset, guint64 length, GString *out)
{
  gsize size, taken;
  const char *data = g_bytes_get_data (object, &size);
  gsize want;

  offset = MIN (offset, size);
  want = MIN (length, size - offset);
  g_string_assign (out, "m");
  taken = want > 0 ? put_binary (out, data + offset, want, WIRE_PACKET_SIZE - 8) : 0;
  if (offset + taken == size)
    out->str[0] = 'l';
}

static void
handle_read (Server *server, Text *args, GString *out)
{
  g_autofree char *name = text_until (args, ':');
  g_autofree char *annex = NULL;
  g_autoptr (GBytes) object = NULL;
  guint64 offset, length;

  text_expect (args, ':');
  if (!text_accept_word (args, "read:"))
    return;
  annex = text_until (args, ':');
  text_expect (args, ':');
  offset = text_hex (args);
  text_expect (args, ',');
  length = text_hex (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (objects); i++)
    if (g_str_equal (name, objects[i].name))
      {
        object = objects[i].read (server, annex);
        if (object == NULL)
          g_string_assign (out, "E00");
        else
          put_piece (object, offset, length, out);
      }
}

const PacketRow xfer_packets[] = {
  { "qXfer:", 0, handle_read },
  { NULL, 0, NULL },
};
