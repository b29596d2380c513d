/* Packets as text: see rsp/text.h.

   Numbers are limited to 64 bits by counting digits, not by looking at
   overflow, and nothing here allocates more than the packet is long.  */

#include "rsp/text.h"

#include <string.h>

void
text_init (Text *text, const char *data, gsize length)
{
  text->at = data;
  text->end = data + length;
  text->failed = FALSE;
}

void
text_fail (Text *text)
{
  text->failed = TRUE;
  text->at = text->end;
}

gboolean
text_done (const Text *text)
{
  return !text->failed && text->at == text->end;
}

char
text_peek (const Text *text)
{
  return text->at < text->end ? *text->at : 0;
}

gboolean
text_accept (Text *text, char c)
{
  if (text->at == text->end || *text->at != c)
    return FALSE;
  text->at++;
  return TRUE;
}

gboolean
text_accept_word (Text *text, const char *word)
{
  gsize length = strlen (word);

  if (text_left (text) < length || memcmp (text->at, word, length) != 0)
    return FALSE;
  text->at += length;
  return TRUE;
}

void
text_expect (Text *text, char c)
{
  if (!text_accept (text, c))
    text_fail (text);
}

guint64
text_hex (Text *text)
{
  guint64 value = 0;
  int digits = 0;

  for (; text->at < text->end && g_ascii_isxdigit (*text->at); text->at++)
    {
      if (value >> 60)
        {
          text_fail (text);
          return 0;
        }
      value = value << 4 | (guint64) g_ascii_xdigit_value (*text->at);
      digits++;
    }
  if (digits == 0)
    text_fail (text);
  return text->failed ? 0 : value;
}

gint64
text_signed_hex (Text *text)
{
  gboolean minus = text_accept (text, '-');
  guint64 value = text_hex (text);

  return (gint64) (minus ? 0 - value : value);
}

GByteArray *
text_hex_bytes (Text *text)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 nul = 0;

  while (text_left (text) >= 2 && g_ascii_isxdigit (text->at[0]) && g_ascii_isxdigit (text->at[1]))
    {
      guint8 byte = (guint8) (g_ascii_xdigit_value (text->at[0]) << 4 | g_ascii_xdigit_value (text->at[1]));

      g_byte_array_append (bytes, &byte, 1);
      text->at += 2;
    }
  if (text->at < text->end && g_ascii_isxdigit (*text->at))
    text_fail (text);
  g_byte_array_append (bytes, &nul, 1);
  g_byte_array_set_size (bytes, bytes->len - 1);
  return bytes;
}

char *
text_hex_string (Text *text)
{
  GByteArray *bytes = text_hex_bytes (text);

  if (memchr (bytes->data, 0, bytes->len) != NULL)
    {
      text_fail (text);
      g_byte_array_set_size (bytes, 0);
    }
  g_byte_array_append (bytes, (const guint8 *) "", 1);
  return (char *) g_byte_array_free (bytes, FALSE);
}

char *
text_until (Text *text, char c)
{
  const char *start = text->at;

  while (text->at < text->end && *text->at != c)
    text->at++;
  return g_strndup (start, (gsize) (text->at - start));
}

const char *
text_rest (Text *text, gsize *length_ret)
{
  const char *start = text->at;

  *length_ret = text_left (text);
  text->at = text->end;
  return start;
}

ThreadId
text_thread (Text *text)
{
  ThreadId id = { TEXT_ANY, TEXT_ALL };

  if (text_accept (text, 'p'))
    {
      id.pid = text_signed_hex (text);
      if (text_accept (text, '.'))
        id.tid = text_signed_hex (text);
    }
  else
    id.tid = text_signed_hex (text);
  if (id.pid < TEXT_ALL || id.tid < TEXT_ALL || id.pid > G_MAXINT32 || id.tid > G_MAXINT32)
    text_fail (text);
  return id;
}

void
reply_ok (GString *out)
{
  g_string_assign (out, "OK");
}

void
reply_malformed (GString *out)
{
  g_string_assign (out, "E01");
}

void
reply_message (GString *out, const char *message)
{
  g_string_assign (out, "E.");
  for (; *message != '\0'; message++)
    g_string_append_c (out, (guchar) *message < ' ' ? ' ' : strchr ("#$}*", *message) != NULL ? '_' : *message);
}

void
reply_error (GString *out, GError *error)
{
  reply_message (out, error != NULL ? error->message : "it failed");
  g_clear_error (&error);
}

void
put_hex (GString *out, gconstpointer data, gsize length)
{
  static const char digits[] = "0123456789abcdef";
  const guint8 *bytes = data;
  gsize start = out->len;

  g_string_set_size (out, start + 2 * length);
  for (gsize i = 0; i < length; i++)
    {
      out->str[start + 2 * i] = digits[bytes[i] >> 4];
      out->str[start + 2 * i + 1] = digits[bytes[i] & 15];
    }
}

void
put_hex_string (GString *out, const char *string)
{
  put_hex (out, string, strlen (string));
}

static void
put_key (GString *out, const char *key)
{
  if (out->len > 0 && out->str[out->len - 1] != '|')
    g_string_append_c (out, ';');
  g_string_append_printf (out, "%s=", key);
}

void
put_number (GString *out, const char *key, guint64 value)
{
  put_key (out, key);
  g_string_append_printf (out, "%" G_GINT64_MODIFIER "x", value);
}

void
put_text (GString *out, const char *key, const char *value)
{
  put_key (out, key);
  put_hex_string (out, value != NULL ? value : "");
}

gsize
put_binary (GString *out, gconstpointer data, gsize length, gsize max)
{
  const char *bytes = data;
  gsize i;

  for (i = 0; i < length; i++)
    {
      gboolean escape = bytes[i] == '#' || bytes[i] == '$' || bytes[i] == '}' || bytes[i] == '*';

      if (out->len + (escape ? 2 : 1) > max)
        break;
      if (escape)
        g_string_append_c (out, '}');
      g_string_append_c (out, escape ? (char) (bytes[i] ^ 0x20) : bytes[i]);
    }
  return i;
}
