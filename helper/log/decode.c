/* Bytes to events: encode.c the other way round, in the same order.

   The bytes may be anything.  The cursor stops at their end; counts are
   held against what is left; what costs memory out of proportion is
   charged to the codec's budget.  */

#include "base/error.h"
#include "log/codec-private.h"

#include <string.h>

/* Writes at least this long share the chunk's bytes.  */
#define SLICE_MIN 256

/* Account for SIZE bytes of memory.  */
static gboolean
charge (Codec *codec, Cursor *in, gsize size)
{
  codec->weight += size;
  if (codec->weight > CODEC_BUDGET)
    cursor_fail (in);
  return !in->failed;
}

static guint64
get_delta (Cursor *in, guint64 predicted)
{
  return (guint64) cursor_svarint (in) + predicted;
}

/* A count of items of at least MIN bytes each; 0 on failure.  */
static guint32
get_count (Cursor *in, gsize min)
{
  guint32 count = cursor_varint32 (in);

  if (count > cursor_left (in) / min)
    cursor_fail (in);
  return in->failed ? 0 : count;
}

static ThreadNo
get_thread_number (Cursor *in)
{
  guint32 thread = cursor_varint32 (in);

  if (thread >= CODEC_THREADS_MAX)
    {
      cursor_fail (in);
      return 0;
    }
  return thread;
}

static void
get_regs (Cursor *in, ThreadMemory *memory, Regs *regs)
{
  guint64 changed = cursor_varint (in), *words = regs_words (&memory->regs);

  if (changed >> REGS_WORDS != 0)
    cursor_fail (in);
  for (gsize i = 0; i < REGS_WORDS; i++)
    if (changed >> i & 1)
      words[i] = get_delta (in, words[i]);
  *regs = memory->regs;
}

static GBytes *
get_xstate (Codec *codec, Cursor *in, ThreadMemory *memory)
{
  gsize length = cursor_varint32 (in), old_length = 0;
  const guint8 *old = NULL;
  guint8 *data;
  GBytes *xstate;

  if (length == 0 || length > CODEC_XSTATE_MAX)
    cursor_fail (in);
  if (in->failed || !charge (codec, in, length))
    return NULL;
  data = g_malloc0 (length);
  if (memory->xstate != NULL)
    old = g_bytes_get_data (memory->xstate, &old_length);
  if (old != NULL && old_length == length)
    memcpy (data, old, length);
  for (gsize i = 0; i < length && !in->failed;)
    {
      gsize same = cursor_varint32 (in), differ = cursor_varint32 (in);

      if (same > length - i || differ > length - i - same || same + differ == 0)
        cursor_fail (in);
      else
        cursor_read (in, data + i + same, differ);
      i += same + differ;
    }
  if (in->failed)
    {
      g_free (data);
      return NULL;
    }
  xstate = g_bytes_new_take (data, length);
  codec_note_xstate (memory, xstate);
  return xstate;
}

static void
get_call (Cursor *in, ThreadMemory *memory, Event *event, guint fields)
{
  CallMemory *call = codec_call (memory, event->nr);
  guint8 changed = cursor_u8 (in);

  for (int i = 0; i < 6; i++)
    event->args[i] = changed >> i & 1 ? get_delta (in, call->args[i]) : call->args[i];
  if (fields & HAS_RESULT)
    {
      event->result = call->result;
      if (changed & ARGS_RESULT)
        event->result = (gint64) get_delta (in, (guint64) call->result);
      call->result = event->result;
    }
  codec_note_call (memory, call, event->nr, event->args);
}

static void
get_signal (Cursor *in, Event *event)
{
  gsize length;

  event->signo = (int) cursor_varint32 (in);
  length = cursor_varint32 (in);
  if (length > sizeof event->siginfo || event->signo < 1 || event->signo > 64)
    cursor_fail (in);
  else
    cursor_read (in, &event->siginfo, length);
  if (event->sync)
    event->check = cursor_u32 (in);
}

static void
get_point (Cursor *in, ThreadMemory *memory, Event *event)
{
  PointId *point = event->point = g_new0 (PointId, 1);

  point->why = cursor_u8 (in);
  point->arrivals = cursor_varint (in);
  get_regs (in, memory, &point->regs);
  point->xstate_hash = cursor_u32 (in);
  point->memory_hash = cursor_u32 (in);
  point->n_words = cursor_u8 (in);
  if (point->why > POINT_STOP || point->n_words > POINT_WORDS)
    {
      cursor_fail (in);
      point->n_words = 0;
    }
  for (guint i = 0; i < point->n_words; i++)
    {
      point->words[i].addr = get_delta (in, point->regs.rsp);
      point->words[i].value = cursor_varint (in);
    }
}

static void
get_threads (Codec *codec, Cursor *in, Event *event)
{
  guint32 count = get_count (in, 5);

  for (guint32 i = 0; i < count && charge (codec, in, 2 * sizeof (ThreadImage)); i++)
    {
      ThreadImage t = { .thread = get_thread_number (in) };
      ThreadMemory *memory = codec_select (codec, t.thread);
      guint8 flags, name;

      t.tid = (pid_t) cursor_varint32 (in);
      flags = cursor_u8 (in);
      t.in_call = flags & 1;
      get_regs (in, memory, &t.regs);
      if (flags & 2)
        t.xstate = get_xstate (codec, in, memory);
      name = cursor_u8 (in);
      if (name >= sizeof t.name)
        cursor_fail (in);
      else
        cursor_read (in, t.name, name);
      g_array_append_val (event->threads, t);
    }
}

static void
get_ops (Codec *codec, Cursor *in, Event *event)
{
  guint32 count = get_count (in, 3);

  for (guint32 i = 0; i < count && charge (codec, in, 2 * sizeof (MapOp)); i++)
    {
      MapOp op = { .kind = cursor_u8 (in), .file = NO_FILE };

      if (op.kind < MAP_OP_MAP || op.kind > MAP_OP_DISCARD)
        cursor_fail (in);
      op.addr = get_delta (in, codec->op_end);
      op.length = cursor_varint (in);
      codec->op_end = op.addr + op.length;
      if (op.kind == MAP_OP_MOVE)
        {
          op.dest = get_delta (in, op.addr);
          op.dest_length = cursor_varint (in);
        }
      if (op.kind == MAP_OP_MAP || op.kind == MAP_OP_PROTECT)
        op.prot = cursor_varint32 (in);
      if (op.kind == MAP_OP_MAP)
        {
          op.flags = cursor_varint32 (in);
          op.file = cursor_varint32 (in) - 1;
          if (op.file != NO_FILE || (op.flags & MAP_ALIAS_))
            op.offset = cursor_varint (in);
        }
      event_add_op (event, &op);
    }
}

static Addr
get_write_addr (Cursor *in, const ThreadMemory *memory)
{
  guint8 place = cursor_u8 (in);

  if (place < 6)
    return memory->args[place];
  if (place == WRITE_FOLLOWS)
    return memory->write_end;
  if (place != WRITE_DELTA)
    cursor_fail (in);
  return get_delta (in, memory->write);
}

static void
get_writes (Codec *codec, Cursor *in, ThreadMemory *memory, GBytes *raw, Event *event)
{
  guint32 count = get_count (in, 2);

  for (guint32 i = 0; i < count && charge (codec, in, 128); i++)
    {
      Addr addr = get_write_addr (in, memory);
      guint64 length = cursor_varint (in);
      gsize offset = cursor_offset (in);
      const guint8 *data = cursor_take (in, length);

      if (in->failed)
        break;
      if (length >= SLICE_MIN)
        {
          g_autoptr (GBytes) slice = g_bytes_new_from_bytes (raw, offset, length);

          event_add_write_bytes (event, addr, slice);
        }
      else
        event_add_write (event, addr, data, length);
      codec_note_write (memory, addr, length);
    }
}

static void
get_kind_fields (Codec *codec, Cursor *in, Event *event, guint8 head)
{
  guint fields = codec_fields (event->kind);

  if (fields & (HAS_CALL | HAS_NR))
    event->nr = head & HEAD_SAME_NR ? codec->memory->nr : cursor_svarint (in);
  if (fields & HAS_CHECK)
    event->check = cursor_u32 (in);
  if (fields & HAS_CALL)
    get_call (in, codec->memory, event, fields);
  else if (fields & HAS_RESULT)
    event->result = cursor_svarint (in);
  if (fields & HAS_SIGNAL)
    get_signal (in, event);
  if (fields & HAS_POINT)
    get_point (in, codec->memory, event);
  if (fields & HAS_THREADS)
    get_threads (codec, in, event);
}

static void
get_new_thread (Cursor *in, Event *event, guint8 more)
{
  if (more & MORE_THREAD)
    {
      event->new_thread = get_thread_number (in);
      event->new_tid = (pid_t) cursor_varint32 (in);
      event->new_sp = cursor_varint (in);
    }
  if (more & MORE_NEW_FS)
    {
      event->new_has_fs = TRUE;
      event->new_fs = cursor_varint (in);
    }
}

Event *
codec_decode (Codec *codec, Cursor *in, GBytes *raw, GError **error)
{
  guint8 head = cursor_u8 (in), more = head & HEAD_MORE ? cursor_u8 (in) : 0;
  ThreadNo thread = head & HEAD_SAME_THREAD ? codec->thread : get_thread_number (in);
  g_autoptr (Event) event = NULL;
  ThreadMemory *memory;

  if (in->failed || !codec_kind_is_known (head & HEAD_KIND) || !charge (codec, in, sizeof (Event)))
    {
      error_set (error, RETRO_ERROR_FORMAT, "malformed event (kind %u)", head & HEAD_KIND);
      return NULL;
    }
  event = event_new (head & HEAD_KIND, thread);
  codec_select (codec, thread);
  event->time = codec->time = get_delta (in, codec->time);
  event->sync = event->kind == EV_SIGNAL && more & MORE_FLAG;
  event->no_return = event->kind != EV_SIGNAL && more & MORE_FLAG;

  get_kind_fields (codec, in, event, head);
  memory = codec_select (codec, thread);
  if (more & MORE_OPS)
    get_ops (codec, in, event);
  if (head & HEAD_WRITES)
    get_writes (codec, in, memory, raw, event);
  event->has_regs = (more & MORE_REGS) != 0;
  if (event->has_regs)
    get_regs (in, memory, &event->regs);
  if (more & MORE_XSTATE)
    event->xstate = get_xstate (codec, in, memory);
  get_new_thread (in, event, more);
  event->has_digest = (more & MORE_DIGEST) != 0;
  if (event->has_digest)
    event->digest = cursor_u64 (in);

  if (in->failed)
    {
      error_set (error, RETRO_ERROR_FORMAT, "malformed %s event", event_kind_name (event->kind));
      return NULL;
    }
  return g_steal_pointer (&event);
}
