/* Events as bytes.  doc/log-format.md has the format.

   Events are told by how they differ from what the same thread did
   before: a Codec is that memory.  Encoder and decoder hold one each and
   start a new one with every chunk, so a chunk can be read without those
   before it.  A futex event takes about 10 bytes, 4 of them its check.

     encoder:  codec_new; codec_encode for each event; codec_free
     decoder:  codec_new; codec_decode as often; codec_free

   The decoder trusts nothing.  What its events can take in memory beyond
   the bytes they come from is limited for each codec (CODEC_BUDGET).  */

#ifndef RETRO_LOG_CODEC_H
#define RETRO_LOG_CODEC_H

#include "base/cursor.h"
#include "log/event.h"

#define CODEC_BUDGET (96u << 20)
/* No extended state of any CPU is as large.  */
#define CODEC_XSTATE_MAX 0x10000u
/* Thread numbers are below this: readers have tables of threads.  */
#define CODEC_THREADS_MAX (1u << 20)

typedef struct _Codec Codec;

Codec *codec_new (void);
void codec_free (Codec *codec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Codec, codec_free)

/* Append EVENT to OUT.  Fields that its kind does not have (event.h) are
   left out.  */
void codec_encode (Codec *codec, const Event *event, GByteArray *out);

/* The next event, or NULL with RETRO_ERROR_FORMAT.  RAW is what IN reads,
   so that long writes need no copy.  */
Event *codec_decode (Codec *codec, Cursor *in, GBytes *raw, GError **error);

/* Memory that the decoded events take, roughly.  */
gsize codec_weight (const Codec *codec);

#endif
