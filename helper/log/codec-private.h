/* What encoder and decoder share: the memory of a Codec and the layout of
   an event's first bytes.  Whatever one side remembers the other has to
   remember at the same place; the codec_note_... functions are that.  */

#ifndef RETRO_LOG_CODEC_PRIVATE_H
#define RETRO_LOG_CODEC_PRIVATE_H

#include "log/codec.h"

#include <stddef.h>

/* First byte: the kind in the low four bits and  */
#define HEAD_KIND 0x0f
#define HEAD_SAME_THREAD 0x10 /* as the event before  */
#define HEAD_SAME_NR 0x20     /* as this thread's last call  */
#define HEAD_WRITES 0x40
#define HEAD_MORE 0x80 /* a second byte follows  */

#define MORE_OPS 0x01
#define MORE_REGS 0x02
#define MORE_XSTATE 0x04
#define MORE_THREAD 0x08 /* a new one  */
#define MORE_NEW_FS 0x10 /* with its own fs_base  */
#define MORE_DIGEST 0x20
#define MORE_FLAG 0x40 /* no_return, or sync of a signal  */

/* The byte before a call's arguments: which are not as predicted, and  */
#define ARGS_RESULT 0x40 /* so is the result  */

/* The byte before a write's data: 0-5: it goes where that argument of the
   call points, or  */
#define WRITE_FOLLOWS 6 /* right behind the write before  */
#define WRITE_DELTA 7   /* a delta to the write before follows  */

/* Which fields a kind has, in the order of the format.  */
#define HAS_CHECK 0x01
#define HAS_CALL 0x02 /* nr and args  */
#define HAS_NR 0x04
#define HAS_RESULT 0x08
#define HAS_SIGNAL 0x10
#define HAS_POINT 0x20
#define HAS_THREADS 0x40

#define REGS_WORDS (sizeof (Regs) / sizeof (guint64))
#define CALL_SLOTS 16

/* The last call with one of the numbers that share a slot.  */
typedef struct
{
  gint64 nr;
  guint64 args[6];
  gint64 result;
} CallMemory;

typedef struct
{
  Regs regs;
  CallMemory calls[CALL_SLOTS];
  gint64 nr;       /* of the last call  */
  guint64 args[6]; /* likewise  */
  Addr write, write_end;
  GBytes *xstate; /* the last that the log told, or NULL  */
} ThreadMemory;

struct _Codec
{
  GHashTable *threads; /* ThreadNo -> ThreadMemory  */
  ThreadNo thread;     /* of the event before  */
  ThreadMemory *memory;
  guint64 time;
  Addr op_end;
  gsize weight;
};

/* HAS_... bits of KIND; 0 too for kinds that do not exist.  */
guint codec_fields (guint kind);
gboolean codec_kind_is_known (guint kind);
/* The memory of THREAD, which is the current one from now on.  */
ThreadMemory *codec_select (Codec *codec, ThreadNo thread);
CallMemory *codec_call (ThreadMemory *memory, gint64 nr);
void codec_note_call (ThreadMemory *memory, CallMemory *call, gint64 nr, const guint64 args[6]);
void codec_note_write (ThreadMemory *memory, Addr addr, gsize length);
void codec_note_xstate (ThreadMemory *memory, GBytes *xstate);

static inline guint64 *
regs_words (Regs *regs)
{
  return (guint64 *) (gpointer) regs;
}

G_STATIC_ASSERT (sizeof (Regs) % sizeof (guint64) == 0);

#endif
