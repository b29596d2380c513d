/* The wire: see rsp/wire.h.

   Input is collected in one buffer; a packet is looked for at its start.
   That serves both the blocking reader and the look for a 0x03 while the
   program runs.  Signals that end the helper interrupt poll () and are
   noticed through a flag, so that nothing of ours survives.  */

#include "rsp/wire.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct _Wire
{
  int in_fd, out_fd;
  gboolean acks, closed;
  GByteArray *in;    /* read, not yet consumed  */
  gsize scanned;     /* bytes of `in' known not to hold the packet's end  */
  gboolean skipping; /* inside a packet that is too long: its end is awaited  */
  GString *packet;   /* what wire_read returned last  */
  GByteArray *last;  /* what was sent last, for `-'  */
};

static volatile sig_atomic_t close_all;

void
wire_close_all (void)
{
  close_all = 1;
}

Wire *
wire_new (int in_fd, int out_fd)
{
  Wire *wire = g_new0 (Wire, 1);

  wire->in_fd = in_fd;
  wire->out_fd = out_fd;
  wire->acks = TRUE;
  wire->in = g_byte_array_new ();
  wire->packet = g_string_new (NULL);
  wire->last = g_byte_array_new ();
  return wire;
}

void
wire_free (Wire *wire)
{
  g_byte_array_free (wire->in, TRUE);
  g_string_free (wire->packet, TRUE);
  g_byte_array_free (wire->last, TRUE);
  g_free (wire);
}

int
wire_fd (const Wire *wire)
{
  return wire->in_fd;
}

gboolean
wire_is_closed (const Wire *wire)
{
  return wire->closed || close_all;
}

void
wire_stop_acks (Wire *wire)
{
  wire->acks = FALSE;
}

/* Read what there is; wait for something if WAIT.  */
static void
fill (Wire *wire, gboolean wait)
{
  struct pollfd poll_fd = { .fd = wire->in_fd, .events = POLLIN };
  guint8 buffer[16384];
  ssize_t n;
  int ready;

  if (wire_is_closed (wire))
    return;
  ready = poll (&poll_fd, 1, wait ? -1 : 0);
  if (ready == 0 || (ready < 0 && errno == EINTR))
    return;
  n = read (wire->in_fd, buffer, sizeof buffer);
  if (n > 0)
    g_byte_array_append (wire->in, buffer, (guint) n);
  else if (n == 0 || (errno != EINTR && errno != EAGAIN))
    wire->closed = TRUE;
}

static void
consume (Wire *wire, gsize length)
{
  g_byte_array_remove_range (wire->in, 0, (guint) length);
  wire->scanned = 0;
}

/* Send bytes as they are.  */
static void
put_bytes (Wire *wire, const guint8 *data, gsize length)
{
  while (length > 0 && !wire->closed)
    {
      ssize_t n = write (wire->out_fd, data, length);

      if (n > 0)
        {
          data += n;
          length -= (gsize) n;
        }
      else if (n < 0 && errno == EAGAIN)
        {
          struct pollfd poll_fd = { .fd = wire->out_fd, .events = POLLOUT };

          poll (&poll_fd, 1, -1);
        }
      else if (n < 0 && errno == EINTR && !close_all)
        continue;
      else
        wire->closed = TRUE;
    }
}

void
wire_send (Wire *wire, const char *data, gsize length)
{
  guint8 sum = 0;
  char tail[4];

  for (gsize i = 0; i < length; i++)
    sum = (guint8) (sum + (guint8) data[i]);
  g_snprintf (tail, sizeof tail, "#%02x", sum);
  g_byte_array_set_size (wire->last, 0);
  g_byte_array_append (wire->last, (const guint8 *) "$", 1);
  g_byte_array_append (wire->last, (const guint8 *) data, (guint) length);
  g_byte_array_append (wire->last, (const guint8 *) tail, 3);
  put_bytes (wire, wire->last->data, wire->last->len);
}

void
wire_console (Wire *wire, const char *text)
{
  g_autoptr (GString) out = g_string_new ("O");

  for (; *text != '\0'; text++)
    g_string_append_printf (out, "%02x", (guint8) *text);
  wire_send (wire, out->str, out->len);
}

/* Undo the escapes of LENGTH bytes into wire->packet.  */
static void
unescape (Wire *wire, const guint8 *data, gsize length)
{
  g_string_truncate (wire->packet, 0);
  for (gsize i = 0; i < length; i++)
    {
      gboolean escaped = data[i] == '}' && i + 1 < length;

      g_string_append_c (wire->packet, escaped ? (char) (data[++i] ^ 0x20) : (char) data[i]);
    }
}

/* The packet that starts at in->data[0] == '$', whose '#' is at END.  */
static WireEvent
take_packet (Wire *wire, gsize end)
{
  const guint8 *data = wire->in->data;
  int high = g_ascii_xdigit_value ((char) data[end + 1]), low = g_ascii_xdigit_value ((char) data[end + 2]);
  guint8 sum = 0;
  gboolean good;

  for (gsize i = 1; i < end; i++)
    sum = (guint8) (sum + data[i]);
  good = high >= 0 && low >= 0 && sum == (high << 4 | low);
  if (good)
    unescape (wire, data + 1, end - 1);
  consume (wire, end + 3);
  if (wire->acks)
    put_bytes (wire, (const guint8 *) (good ? "+" : "-"), 1);
  return good ? WIRE_PACKET : WIRE_BAD;
}

/* Inside a packet that is too long: drop what there is.  TRUE when its
   end was found.  */
static gboolean
skip_long_packet (Wire *wire)
{
  const guint8 *hash = memchr (wire->in->data, '#', wire->in->len);
  gsize end;

  if (hash == NULL)
    {
      consume (wire, wire->in->len);
      return FALSE;
    }
  end = (gsize) (hash - wire->in->data);
  if (wire->in->len < end + 3)
    {
      consume (wire, end);
      return FALSE;
    }
  consume (wire, end + 3);
  wire->skipping = FALSE;
  if (wire->acks)
    put_bytes (wire, (const guint8 *) "+", 1);
  return TRUE;
}

/* What is next in the buffer; FALSE if more must be read first.  */
static gboolean
next_event (Wire *wire, WireEvent *event_ret)
{
  if (wire->skipping)
    {
      *event_ret = WIRE_BAD;
      return skip_long_packet (wire);
    }
  while (wire->in->len > 0)
    {
      const guint8 *data = wire->in->data, *hash;
      gsize from = MAX (wire->scanned, 1);

      if (data[0] == 0x03)
        {
          consume (wire, 1);
          *event_ret = WIRE_INTERRUPT;
          return TRUE;
        }
      if (data[0] == '-' && wire->acks && wire->last->len > 0)
        put_bytes (wire, wire->last->data, wire->last->len);
      if (data[0] != '$')
        {
          consume (wire, 1);
          continue;
        }
      hash = wire->in->len > from ? memchr (data + from, '#', wire->in->len - from) : NULL;
      if (hash == NULL && wire->in->len > WIRE_MAX)
        {
          wire->skipping = TRUE;
          return next_event (wire, event_ret);
        }
      wire->scanned = hash == NULL ? wire->in->len : (gsize) (hash - data);
      if (hash == NULL || wire->in->len < (gsize) (hash - data) + 3)
        return FALSE;
      *event_ret = take_packet (wire, (gsize) (hash - data));
      /* With acknowledgements the other side sends it again.  */
      if (*event_ret == WIRE_BAD && wire->acks)
        continue;
      return TRUE;
    }
  return FALSE;
}

WireEvent
wire_read (Wire *wire, const char **data_ret, gsize *length_ret)
{
  WireEvent event;

  while (!next_event (wire, &event))
    {
      if (wire_is_closed (wire))
        return WIRE_CLOSED;
      fill (wire, TRUE);
    }
  *data_ret = wire->packet->str;
  *length_ret = wire->packet->len;
  return event;
}

gboolean
wire_interrupted (Wire *wire)
{
  fill (wire, FALSE);
  while (wire->in->len > 0 && wire->in->data[0] == '+')
    consume (wire, 1);
  if (wire->in->len > 0 && wire->in->data[0] == 0x03)
    {
      consume (wire, 1);
      return TRUE;
    }
  return wire_is_closed (wire);
}
