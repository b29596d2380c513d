/* Packets for memory: m, M, x, X, qSearch:memory, and registers: g, G, p, P.

   Whether what is read and written is history or a diversion is decided
   in rsp/writes.h.  A read that reaches unmapped memory gives what could
   be read, an error only if that is nothing.  */

#include "rsp/server.h"

#include "base/error.h"

#include <string.h>

/* Longest read: its answer must fit a packet.  */
#define READ_MAX ((WIRE_PACKET_SIZE - 16) / 2)
#define SEARCH_CHUNK 65536u

/* After a fork event GDB looks at the child before it detaches from it.
   The child's memory is the parent's then.  */

static guint8 *
read_memory (Server *server, Addr addr, guint64 length, gsize *length_ret)
{
  guint8 *data;

  length = MIN (length, READ_MAX);
  data = g_malloc (length + 1);
  *length_ret = writes_read (server->writes, addr, data, length);
  return data;
}

/* "ADDR,LENGTH".  */
static void
parse_range (Text *args, Addr *addr_ret, guint64 *length_ret)
{
  *addr_ret = text_hex (args);
  text_expect (args, ',');
  *length_ret = text_hex (args);
}

static void
handle_read (Server *server, Text *args, GString *out)
{
  g_autofree guint8 *data = NULL;
  guint64 length;
  gsize n;
  Addr addr;

  parse_range (args, &addr, &length);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  data = read_memory (server, addr, length, &n);
  if (n == 0 && length > 0)
    g_string_assign (out, "E14");
  else
    put_hex (out, data, n);
}

static void
write_memory (Server *server, Addr addr, const void *data, gsize length, GString *out)
{
  GError *error = NULL;

  if (length == 0 || server->general_pid != 0 || writes_write (server->writes, addr, data, length, &error))
    reply_ok (out);
  else
    reply_error (out, error);
}

static void
handle_write (Server *server, Text *args, GString *out)
{
  g_autoptr (GByteArray) bytes = NULL;
  guint64 length;
  Addr addr;

  parse_range (args, &addr, &length);
  text_expect (args, ':');
  bytes = text_hex_bytes (args);
  if (!text_done (args) || bytes->len != length)
    reply_malformed (out);
  else
    write_memory (server, addr, bytes->data, bytes->len, out);
}

static void
handle_write_binary (Server *server, Text *args, GString *out)
{
  const char *data;
  guint64 length;
  gsize n;
  Addr addr;

  parse_range (args, &addr, &length);
  text_expect (args, ':');
  data = text_rest (args, &n);
  if (args->failed || n != length)
    reply_malformed (out);
  else
    write_memory (server, addr, data, n, out);
}

/* "ADDR;LENGTH;PATTERN": chunks overlap by the pattern's length.  */
static void
handle_search (Server *server, Text *args, GString *out)
{
  Addr addr = text_hex (args);
  g_autofree guint8 *buffer = NULL;
  const char *pattern;
  guint64 length;
  gsize n;

  text_expect (args, ';');
  length = text_hex (args);
  text_expect (args, ';');
  pattern = text_rest (args, &n);
  if (args->failed || n == 0 || n > SEARCH_CHUNK)
    {
      reply_malformed (out);
      return;
    }
  buffer = g_malloc (2 * SEARCH_CHUNK);
  while (length >= n)
    {
      gsize want = MIN (length, 2 * SEARCH_CHUNK);
      gsize got = writes_read (server->writes, addr, buffer, want);
      const guint8 *hit = got < n ? NULL : memmem (buffer, got, pattern, n);

      if (hit != NULL)
        {
          g_string_printf (out, "1,%" G_GINT64_MODIFIER "x", addr + (guint64) (hit - buffer));
          return;
        }
      if (got < want)
        {
          g_string_assign (out, got == 0 ? "E14" : "0");
          return;
        }
      if (want == length || wire_interrupted (server->wire))
        break;
      addr += want - n + 1;
      length -= want - n + 1;
    }
  g_string_assign (out, "0");
}

const PacketRow memory_packets[] = {
  { "m", ROW_SESSION, handle_read },
  { "M", ROW_SESSION, handle_write },
  { "X", ROW_SESSION, handle_write_binary },
  { "qSearch:memory:", ROW_SESSION, handle_search },
  { NULL, 0, NULL },
};

/* ---- Registers ---- */

static void
put_register (const RegState *state, guint number, GString *out)
{
  guint8 value[REGNO_MAX_SIZE];

  if (registers_get (state, number, value))
    put_hex (out, value, registers_size (number));
  else
    for (gsize i = 0; i < registers_size (number); i++)
      g_string_append (out, "xx");
}

static void
handle_read_all (Server *server, Text *args, GString *out)
{
  RegState state;
  GError *error = NULL;

  if (!text_done (args))
    reply_malformed (out);
  else if (!writes_get_state (server->writes, server_general_thread (server), &state, &error))
    reply_error (out, error);
  else
    {
      for (guint i = 0; i < registers_count (); i++)
        put_register (&state, i, out);
      reg_state_clear (&state);
    }
}

static void
handle_read_one (Server *server, Text *args, GString *out)
{
  guint64 number = text_hex (args);
  RegState state;
  GError *error = NULL;

  if (!text_done (args) || number >= registers_count ())
    reply_malformed (out);
  else if (!writes_get_state (server->writes, server_general_thread (server), &state, &error))
    reply_error (out, error);
  else
    {
      put_register (&state, (guint) number, out);
      reg_state_clear (&state);
    }
}

static void
handle_write_all (Server *server, Text *args, GString *out)
{
  g_autoptr (GByteArray) bytes = text_hex_bytes (args);
  ThreadNo thread = server_general_thread (server);
  GError *error = NULL;

  if (!text_done (args) || bytes->len != registers_packet_size ())
    {
      reply_malformed (out);
      return;
    }
  for (guint i = 0; i < registers_count (); i++)
    if (!writes_set_register (server->writes, thread, i, bytes->data + registers_offset (i), &error))
      {
        reply_error (out, error);
        return;
      }
  reply_ok (out);
}

static void
handle_write_one (Server *server, Text *args, GString *out)
{
  guint64 number = text_hex (args);
  g_autoptr (GByteArray) bytes = NULL;
  GError *error = NULL;

  text_expect (args, '=');
  bytes = text_hex_bytes (args);
  if (!text_done (args) || number >= registers_count () || bytes->len != registers_size ((guint) number))
    reply_malformed (out);
  else if (writes_set_register (server->writes, server_general_thread (server), (guint) number, bytes->data, &error))
    reply_ok (out);
  else
    reply_error (out, error);
}

const PacketRow register_packets[] = {
  { "g", ROW_SESSION, handle_read_all },
  { "p", ROW_SESSION, handle_read_one },
  { "G", ROW_SESSION, handle_write_all },
  { "P", ROW_SESSION, handle_write_one },
  { NULL, 0, NULL },
};
