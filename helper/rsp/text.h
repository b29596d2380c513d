/* Packets as text: a bounds-checked reader, and writers for replies.

   A packet is bytes from somebody we do not trust.  Every reader advances
   over what it understood; one that meets something else marks the Text
   as failed, gives zero (or NULL), and all later reads do the same.  A
   handler reads all its arguments, asks text_done, and acts after that:

     addr = text_hex (args);
     text_expect (args, ',');
     length = text_hex (args);
     if (!text_done (args)) return reply_malformed (out);

   The wire layer has undone the escapes already (rsp/wire.h); binary
   arguments are simply the rest.  */

#ifndef RETRO_RSP_TEXT_H
#define RETRO_RSP_TEXT_H

#include <glib.h>

typedef struct
{
  const char *at, *end;
  gboolean failed;
} Text;

void text_init (Text *text, const char *data, gsize length);

static inline gsize
text_left (const Text *text)
{
  return (gsize) (text->end - text->at);
}

void text_fail (Text *text);
/* Was everything read, and understood?  */
gboolean text_done (const Text *text);
/* The next character without reading it; 0 at the end.  */
char text_peek (const Text *text);
/* Read C if it is next; whether it was.  */
gboolean text_accept (Text *text, char c);
/* Read WORD if it is next; whether it was.  */
gboolean text_accept_word (Text *text, const char *word);
/* Read C or fail.  */
void text_expect (Text *text, char c);

/* An unsigned hexadecimal number of at most 16 digits.  */
guint64 text_hex (Text *text);
/* The same, or -1, or with a minus sign (vFile, thread-ids).  */
gint64 text_signed_hex (Text *text);
/* All hexadecimal pairs that follow: new bytes with a NUL behind them; an
   odd digit fails.  */
GByteArray *text_hex_bytes (Text *text);
/* The same as a string; one with a NUL inside fails.  Never NULL.  */
char *text_hex_string (Text *text);
/* Up to but without C, or to the end: a new string.  */
char *text_until (Text *text, char c);
/* The rest in place.  */
const char *text_rest (Text *text, gsize *length_ret);

/* "p1f.2a", "p1f", "2a", "-1", "0".  */
#define TEXT_ALL (-1)
#define TEXT_ANY 0
typedef struct
{
  gint64 pid; /* TEXT_ALL, TEXT_ANY (not given)  */
  gint64 tid;
} ThreadId;
ThreadId text_thread (Text *text);

/* ---- Replies ---- */

void reply_ok (GString *out);
void reply_malformed (GString *out);
/* "E.message"; characters that have a meaning in a packet are replaced.  */
void reply_message (GString *out, const char *message);
/* Consumes ERROR.  */
void reply_error (GString *out, GError *error);

void put_hex (GString *out, gconstpointer data, gsize length);
void put_hex_string (GString *out, const char *string);
/* ";key=" before and the value; a number, a string as hex.  */
void put_number (GString *out, const char *key, guint64 value);
void put_text (GString *out, const char *key, const char *value);
/* Escape as binary data; stops before OUT is longer than MAX; the number of
   bytes of DATA taken.  */
gsize put_binary (GString *out, gconstpointer data, gsize length, gsize max);

#endif
