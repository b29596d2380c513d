/* The protocol server over a mock session, fed with packets.

   An input is lines.  Each is the contents of a packet, which is sent with
   its escapes and checksum made right, so that what is mutated comes to the
   handlers; but a line that begins with "!" is sent as it is, for the
   framing.  The server must live, and all that it sends must be framed.

   What a client may ask to be done to the machine's files is left out: a
   mutated path is somebody's file.  */

#include "unit/rsp-mock.h"

#include "rsp/serve.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

static gboolean
contains (const guint8 *data, gsize length, const char *word)
{
  return memmem (data, length, word, strlen (word)) != NULL;
}

/* Files are opened below /proc only, and nothing is written.  */
static gboolean
is_harmless (const guint8 *line, gsize length)
{
  static const char below_proc[] = "vFile:open:2f70726f632f";

  if (contains (line, length, "vFile:unlink") || contains (line, length, "vFile:pwrite"))
    return FALSE;
  if (contains (line, length, "vFile:open"))
    return length > strlen (below_proc) && memcmp (line, below_proc, strlen (below_proc)) == 0
           && !contains (line, length, "2e2e");
  /* A redirection of the program's.  */
  return !contains (line, length, "vRun") || (!contains (line, length, "3e") && !contains (line, length, "3E"));
}

static void
add_packet (GByteArray *wire, const guint8 *line, gsize length)
{
  guint8 sum = 0;
  char tail[4];
  guint start;

  g_byte_array_append (wire, (const guint8 *) "$", 1);
  start = wire->len;
  for (gsize i = 0; i < length; i++)
    {
      guint8 escaped[2] = { '}', line[i] ^ 0x20 };
      gboolean special = strchr ("$#}*", line[i]) != NULL && line[i] != 0;

      g_byte_array_append (wire, special ? escaped : line + i, special ? 2 : 1);
    }
  for (guint i = start; i < wire->len; i++)
    sum = (guint8) (sum + wire->data[i]);
  g_snprintf (tail, sizeof tail, "#%02x", sum);
  g_byte_array_append (wire, (const guint8 *) tail, 3);
}

static GByteArray *
make_stream (const guint8 *data, size_t size)
{
  GByteArray *wire = g_byte_array_new ();
  const guint8 *end = data + size;

  while (data < end)
    {
      const guint8 *newline = memchr (data, '\n', (gsize) (end - data));
      gsize length = (gsize) ((newline != NULL ? newline : end) - data);

      if (is_harmless (data, length))
        {
          if (length > 0 && data[0] == '!')
            g_byte_array_append (wire, data + 1, (guint) length - 1);
          else
            add_packet (wire, data, length);
        }
      data += length + 1;
    }
  return wire;
}

/* Acknowledgements, and packets with right checksums; nothing else.  */
static void
check_sent (int fd)
{
  gsize size = (gsize) lseek (fd, 0, SEEK_END), at = 0;
  g_autofree guint8 *sent = g_malloc (size + 1);

  g_assert_cmpint (pread (fd, sent, size, 0), ==, (gssize) size);
  while (at < size)
    {
      guint8 sum = 0;

      if (sent[at] == '+' || sent[at] == '-')
        {
          at++;
          continue;
        }
      g_assert_cmpint (sent[at++], ==, '$');
      while (at < size && sent[at] != '#')
        {
          g_assert_cmpint (sent[at], !=, '$');
          sum = (guint8) (sum + sent[at++]);
        }
      g_assert_cmpuint (at + 3, <=, size);
      g_assert_cmpint (g_ascii_xdigit_value ((char) sent[at + 1]) << 4 | g_ascii_xdigit_value ((char) sent[at + 2]), ==,
                       sum);
      at += 3;
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  static char *argv[] = { "/bin/mock", NULL };
  static int in = -1, out = -1;
  const ServeOptions options = { .argv = argv, .start = TRUE, .notice_fd = -1 };
  g_autoptr (GByteArray) stream = make_stream (data, size);

  if (in < 0)
    {
      in = memfd_create ("in", MFD_CLOEXEC);
      out = memfd_create ("out", MFD_CLOEXEC);
    }
  g_assert_cmpint (ftruncate (in, 0), ==, 0);
  g_assert_cmpint (ftruncate (out, 0), ==, 0);
  g_assert_cmpint (pwrite (in, stream->data, stream->len, 0), ==, (gssize) stream->len);
  lseek (in, 0, SEEK_SET);
  lseek (out, 0, SEEK_SET);
  g_assert_true (serve_run (&options, in, out, NULL));
  check_sent (out);
  return 0;
}
