/* Packets of the helper: ask, and take the reply apart.

   doc/protocol.md is the protocol.  A reply is a record of key=value pairs
   or a list of records; reading a key that is not there gives 0 or NULL,
   so that newer and older helpers get along.  */

#ifndef RETRO_WIRE_H
#define RETRO_WIRE_H

#include <glib.h>

/* A position in time as the helper names it.  */
typedef struct
{
  guint64 event, ticks, insn, reps, pc;
} Moment;

/* Earlier: negative.  */
int moment_compare (const Moment *a, const Moment *b);
/* As packets have it.  */
char *moment_format (const Moment *moment);

typedef struct _Record Record;

void record_free (Record *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Record, record_free)

/* The record's first word without a value ("found"), "" if none.  */
const char *record_word (const Record *record);
const char *record_text (const Record *record, const char *key);
guint64 record_number (const Record *record, const char *key);
/* Hex-coded text, decoded; NULL if absent.  */
char *record_string (const Record *record, const char *key);
void record_moment (const Record *record, const char *key, Moment *moment_ret);

/* Send the packet FORMAT and parse the reply; NULL with an error if there
   is no helper or it refuses.  */
Record *wire_ask (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same for a list of Record, the head left out.  */
GPtrArray *wire_ask_list (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* TEXT as the packets' HEX.  */
char *wire_hex (const char *text);
char *wire_hex_bytes (GBytes *bytes);

/* For tests and for wire_ask.  */
Record *record_parse (const char *text);

#endif
