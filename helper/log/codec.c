/* The memory of a codec: see codec.h and codec-private.h.  */

#include "log/codec-private.h"

#include <string.h>

static const struct
{
  gboolean known;
  guint fields;
} kinds[EV_KINDS] = {
  [EV_IMAGE] = { TRUE, HAS_THREADS },
  [EV_MEMORY] = { TRUE, 0 },
  [EV_SYSCALL] = { TRUE, HAS_CHECK | HAS_CALL | HAS_RESULT },
  [EV_ENTER] = { TRUE, HAS_CHECK | HAS_CALL },
  [EV_EXIT] = { TRUE, HAS_NR | HAS_RESULT },
  [EV_SIGNAL] = { TRUE, HAS_SIGNAL },
  [EV_TSC] = { TRUE, HAS_CHECK },
  [EV_POINT] = { TRUE, HAS_POINT },
  [EV_THREAD_EXIT] = { TRUE, 0 },
  [EV_POKE] = { TRUE, 0 },
  [EV_END] = { TRUE, HAS_RESULT },
};

guint
codec_fields (guint kind)
{
  return kind < EV_KINDS ? kinds[kind].fields : 0;
}

gboolean
codec_kind_is_known (guint kind)
{
  return kind < EV_KINDS && kinds[kind].known;
}

static void
memory_free (gpointer data)
{
  ThreadMemory *memory = data;

  if (memory->xstate != NULL)
    g_bytes_unref (memory->xstate);
  g_free (memory);
}

Codec *
codec_new (void)
{
  Codec *codec = g_new0 (Codec, 1);

  codec->threads = g_hash_table_new_full (NULL, NULL, NULL, memory_free);
  codec_select (codec, 0);
  return codec;
}

void
codec_free (Codec *codec)
{
  if (codec == NULL)
    return;
  g_hash_table_unref (codec->threads);
  g_free (codec);
}

gsize
codec_weight (const Codec *codec)
{
  return codec->weight;
}

ThreadMemory *
codec_select (Codec *codec, ThreadNo thread)
{
  if (codec->memory != NULL && codec->thread == thread)
    return codec->memory;

  codec->thread = thread;
  codec->memory = g_hash_table_lookup (codec->threads, GUINT_TO_POINTER (thread));
  if (codec->memory == NULL)
    {
      codec->memory = g_new0 (ThreadMemory, 1);
      codec->weight += sizeof (ThreadMemory);
      g_hash_table_insert (codec->threads, GUINT_TO_POINTER (thread), codec->memory);
    }
  return codec->memory;
}

CallMemory *
codec_call (ThreadMemory *memory, gint64 nr)
{
  return &memory->calls[(guint64) nr % CALL_SLOTS];
}

void
codec_note_call (ThreadMemory *memory, CallMemory *call, gint64 nr, const guint64 args[6])
{
  call->nr = memory->nr = nr;
  memcpy (call->args, args, sizeof call->args);
  memcpy (memory->args, args, sizeof memory->args);
}

void
codec_note_write (ThreadMemory *memory, Addr addr, gsize length)
{
  memory->write = addr;
  memory->write_end = addr + length;
}

void
codec_note_xstate (ThreadMemory *memory, GBytes *xstate)
{
  g_bytes_ref (xstate);
  if (memory->xstate != NULL)
    g_bytes_unref (memory->xstate);
  memory->xstate = xstate;
}
