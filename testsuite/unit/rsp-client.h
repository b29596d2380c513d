/* A protocol client for unit tests: the server runs in a thread, the test
   sends one packet and gets its reply.

     Client *c = client_new (&options);
     reply = client_ask (c, "qC");           console output goes to c->console
     client_free (c);                        the server has ended then  */

#ifndef RETRO_UNIT_RSP_CLIENT_H
#define RETRO_UNIT_RSP_CLIENT_H

#include "rsp/serve.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct
{
  int fd, server_fd;
  GThread *thread;
  ServeOptions options;
  GString *console;
  GPtrArray *replies; /* to be freed  */
  gboolean acks;
} Client;

static gpointer
client_serve (gpointer data)
{
  Client *c = data;

  serve_run (&c->options, c->server_fd, c->server_fd, NULL);
  close (c->server_fd);
  return NULL;
}

static Client *
client_new (void)
{
  Client *c = g_new0 (Client, 1);
  static char *argv[] = { "/bin/mock", NULL };
  int fds[2];

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, fds), ==, 0);
  c->fd = fds[0];
  c->server_fd = fds[1];
  c->options.argv = argv;
  c->options.notice_fd = -1;
  c->console = g_string_new (NULL);
  c->replies = g_ptr_array_new_with_free_func (g_free);
  c->thread = g_thread_new ("server", client_serve, c);
  return c;
}

/* Nothing more to say; the server must end by itself.  */
static void
client_free (Client *c)
{
  shutdown (c->fd, SHUT_WR);
  g_thread_join (c->thread);
  close (c->fd);
  g_string_free (c->console, TRUE);
  g_ptr_array_unref (c->replies);
  g_free (c);
}

static void
client_send_bytes (Client *c, const void *data, gsize length)
{
  const char *at = data;

  while (length > 0)
    {
      ssize_t n = write (c->fd, at, length);

      g_assert_cmpint (n, >, 0);
      at += n;
      length -= (gsize) n;
    }
}

static void
client_send_data (Client *c, const char *data, gsize length)
{
  g_autoptr (GString) packet = g_string_new ("$");
  guint8 sum = 0;

  g_string_append_len (packet, data, (gssize) length);
  for (gsize i = 0; i < length; i++)
    sum = (guint8) (sum + (guint8) data[i]);
  g_string_append_printf (packet, "#%02x", sum);
  client_send_bytes (c, packet->str, packet->len);
}

static void
client_send (Client *c, const char *data)
{
  client_send_data (c, data, strlen (data));
}

/* -1 when the server is gone.  */
static int
client_get_byte (Client *c)
{
  guint8 byte;

  return read (c->fd, &byte, 1) == 1 ? byte : -1;
}

/* The next packet's data; "" and c->fd at its end when the server is gone.  */
static char *
client_get_packet (Client *c)
{
  GString *data = g_string_new (NULL);
  int byte;

  while ((byte = client_get_byte (c)) != '$' && byte >= 0)
    continue;
  if (byte == '$')
    while ((byte = client_get_byte (c)) != '#' && byte >= 0)
      g_string_append_c (data, (char) byte);
  client_get_byte (c);
  client_get_byte (c);
  return g_string_free (data, FALSE);
}

/* The reply, without the console output before it.  */
static const char *
client_reply (Client *c)
{
  for (;;)
    {
      char *reply = client_get_packet (c);

      if (reply[0] == 'O' && g_ascii_isxdigit (reply[1]))
        {
          for (const char *at = reply + 1; at[0] != '\0' && at[1] != '\0'; at += 2)
            g_string_append_c (c->console,
                               (char) (g_ascii_xdigit_value (at[0]) << 4 | g_ascii_xdigit_value (at[1])));
          g_free (reply);
          continue;
        }
      g_ptr_array_add (c->replies, reply);
      return reply;
    }
}

static const char *
client_ask (Client *c, const char *packet)
{
  client_send (c, packet);
  return client_reply (c);
}

/* "monitor TEXT": what it prints.  */
static const char *
client_monitor (Client *c, const char *text)
{
  g_autoptr (GString) packet = g_string_new ("qRcmd,");

  for (; *text != '\0'; text++)
    g_string_append_printf (packet, "%02x", (guint8) *text);
  g_string_truncate (c->console, 0);
  g_assert_cmpstr (client_ask (c, packet->str), ==, "OK");
  return c->console->str;
}

#endif
