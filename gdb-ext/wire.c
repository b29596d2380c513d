/* Packets of the helper: see wire.h.

   The bridge gives the raw reply.  An error reply's text is meant for
   people; GDB's errors are sentences, so it is made one.  */

#include "wire.h"
#include "bridge.h"

#include <string.h>

struct _Record
{
  char *word;
  GHashTable *values; /* text by key  */
};

/* ---- Moments ---- */

int
moment_compare (const Moment *a, const Moment *b)
{
  if (a->event != b->event)
    return a->event < b->event ? -1 : 1;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? -1 : 1;
  if (a->insn != b->insn)
    return a->insn < b->insn ? -1 : 1;
  return a->reps < b->reps ? -1 : a->reps > b->reps;
}

char *
moment_format (const Moment *moment)
{
  return g_strdup_printf ("%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER
                          "x,%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER "x",
                          moment->event, moment->ticks, moment->insn, moment->reps, moment->pc);
}

/* ---- Records ---- */

Record *
record_parse (const char *text)
{
  Record *record = g_new0 (Record, 1);
  g_auto (GStrv) pairs = g_strsplit (text, ";", -1);

  record->word = g_strdup ("");
  record->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (char **pair = pairs; *pair != NULL; pair++)
    {
      char *equal = strchr (*pair, '=');
      if (equal != NULL)
        g_hash_table_replace (record->values, g_strndup (*pair, equal - *pair), g_strdup (equal + 1));
      else if (**pair != '\0' && *record->word == '\0')
        {
          g_free (record->word);
          record->word = g_strdup (*pair);
        }
    }
  return record;
}

void
record_free (Record *record)
{
  if (record == NULL)
    return;
  g_free (record->word);
  g_hash_table_unref (record->values);
  g_free (record);
}

const char *
record_word (const Record *record)
{
  return record->word;
}

const char *
record_text (const Record *record, const char *key)
{
  return g_hash_table_lookup (record->values, key);
}

guint64
record_number (const Record *record, const char *key)
{
  const char *text = record_text (record, key);

  return text == NULL ? 0 : g_ascii_strtoull (text, NULL, 16);
}

char *
record_string (const Record *record, const char *key)
{
  const char *text = record_text (record, key);
  GString *string;

  if (text == NULL)
    return NULL;
  string = g_string_new (NULL);
  for (; g_ascii_isxdigit (text[0]) && g_ascii_isxdigit (text[1]); text += 2)
    g_string_append_c (string, (char) (g_ascii_xdigit_value (text[0]) << 4 | g_ascii_xdigit_value (text[1])));
  return g_string_free (string, FALSE);
}

void
record_moment (const Record *record, const char *key, Moment *moment_ret)
{
  const char *text = record_text (record, key);
  guint64 *fields[] = { &moment_ret->event, &moment_ret->ticks, &moment_ret->insn, &moment_ret->reps, &moment_ret->pc };

  memset (moment_ret, 0, sizeof *moment_ret);
  for (guint i = 0; text != NULL && i < G_N_ELEMENTS (fields); i++)
    {
      char *end;

      *fields[i] = g_ascii_strtoull (text, &end, 16);
      text = *end == ',' ? end + 1 : NULL;
    }
}

/* ---- Asking ---- */

static gboolean
is_error_number (const char *reply)
{
  return reply[0] == 'E' && g_ascii_isxdigit (reply[1]) && g_ascii_isxdigit (reply[2]) && reply[3] == '\0';
}

/* "it is so" -> "It is so."  */
static char *
make_sentence (const char *text)
{
  GString *sentence = g_string_new (text);

  if (sentence->len == 0)
    g_string_append (sentence, "The request was refused");
  sentence->str[0] = g_ascii_toupper (sentence->str[0]);
  if (strchr (".?!", sentence->str[sentence->len - 1]) == NULL)
    g_string_append_c (sentence, '.');
  return g_string_free (sentence, FALSE);
}

static char *
ask (GError **error, const char *format, va_list args) G_GNUC_PRINTF (2, 0);

static char *
ask (GError **error, const char *format, va_list args)
{
  g_autofree char *packet = g_strdup_vprintf (format, args);
  g_autofree char *reply = bridge_send_packet (packet, error);

  if (reply == NULL)
    return NULL;
  if (reply[0] == '\0')
    {
      bridge_fail (error, BRIDGE_ERROR_CONNECTION, "The target is not a recording of Retro.");
      return NULL;
    }
  if (is_error_number (reply))
    {
      bridge_fail (error, BRIDGE_ERROR_REFUSED, "The helper does not understand \"%.40s\".", packet);
      return NULL;
    }
  if (g_str_has_prefix (reply, "E."))
    {
      g_autofree char *sentence = make_sentence (reply + 2);
      gboolean quit = strstr (reply, "nterrupted") != NULL;

      bridge_fail (error, quit ? BRIDGE_ERROR_QUIT : BRIDGE_ERROR_REFUSED, "%s", quit ? "Quit" : sentence);
      return NULL;
    }
  return g_steal_pointer (&reply);
}

Record *
wire_ask (GError **error, const char *format, ...)
{
  g_autofree char *reply = NULL;
  va_list args;

  va_start (args, format);
  reply = ask (error, format, args);
  va_end (args);
  return reply == NULL ? NULL : record_parse (reply);
}

GPtrArray *
wire_ask_list (GError **error, const char *format, ...)
{
  g_autofree char *reply = NULL;
  g_auto (GStrv) parts = NULL;
  GPtrArray *list;
  va_list args;

  va_start (args, format);
  reply = ask (error, format, args);
  va_end (args);
  if (reply == NULL)
    return NULL;
  parts = g_strsplit (reply, "|", -1);
  list = g_ptr_array_new_with_free_func ((GDestroyNotify) record_free);
  for (char **part = parts + 1; parts[0] != NULL && *part != NULL; part++)
    g_ptr_array_add (list, record_parse (*part));
  return list;
}

/* ---- Hex ---- */

static char *
to_hex (const guint8 *data, gsize length)
{
  GString *hex = g_string_sized_new (2 * length);

  for (gsize i = 0; i < length; i++)
    g_string_append_printf (hex, "%02x", data[i]);
  return g_string_free (hex, FALSE);
}

char *
wire_hex (const char *text)
{
  return to_hex ((const guint8 *) text, strlen (text));
}

char *
wire_hex_bytes (GBytes *bytes)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  return to_hex (data, length);
}
