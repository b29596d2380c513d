/* Events to bytes.  The functions follow the sections of
   doc/log-format.md, and decode.c has the same ones in the same order.  */

#include "log/codec-private.h"

#include <string.h>

static void
put_delta (GByteArray *out, guint64 value, guint64 predicted)
{
  put_svarint (out, (gint64) (value - predicted));
}

static void
put_regs (GByteArray *out, ThreadMemory *memory, const Regs *regs)
{
  Regs now = *regs;
  const guint64 *new = regs_words (&now), *old = regs_words (&memory->regs);
  guint32 changed = 0;

  for (gsize i = 0; i < REGS_WORDS; i++)
    if (new[i] != old[i])
      changed |= 1u << i;
  put_varint (out, changed);
  for (gsize i = 0; i < REGS_WORDS; i++)
    if (changed >> i & 1)
      put_delta (out, new[i], old[i]);
  memory->regs = now;
}

/* Length of the run of bytes from I on in which A and B differ (or do
   not).  A short run of equal bytes does not end a differing one.  */
static gsize
run_length (const guint8 *a, const guint8 *b, gsize i, gsize length, gboolean differ)
{
  gsize start = i;

  for (; i < length; i++)
    {
      gsize same = 0;

      while (i + same < length && same < 4 && a[i + same] == b[i + same])
        same++;
      if (differ ? same == 4 || i + same == length : same == 0)
        break;
      if (differ)
        i += same;
    }
  return MIN (i, length) - start;
}

/* The bytes that differ from the extended state before.  */
static void
put_xstate (GByteArray *out, ThreadMemory *memory, GBytes *xstate)
{
  static const guint8 zeros[CODEC_XSTATE_MAX];
  gsize length, old_length = 0;
  const guint8 *new = g_bytes_get_data (xstate, &length), *old = NULL;

  g_assert (length > 0 && length <= CODEC_XSTATE_MAX);
  if (memory->xstate != NULL)
    old = g_bytes_get_data (memory->xstate, &old_length);
  if (old_length != length)
    old = zeros;
  put_varint (out, length);
  for (gsize i = 0; i < length;)
    {
      gsize same = run_length (new, old, i, length, FALSE);
      gsize differ = run_length (new, old, i + same, length, TRUE);

      put_varint (out, same);
      put_varint (out, differ);
      g_byte_array_append (out, new + i + same, (guint) differ);
      i += same + differ;
    }
  codec_note_xstate (memory, xstate);
}

static void
put_call (GByteArray *out, ThreadMemory *memory, const Event *event, guint fields)
{
  CallMemory *call = codec_call (memory, event->nr);
  guint8 changed = 0;

  for (int i = 0; i < 6; i++)
    if (event->args[i] != call->args[i])
      changed |= (guint8) (1u << i);
  if (fields & HAS_RESULT && event->result != call->result)
    changed |= ARGS_RESULT;
  put_u8 (out, changed);
  for (int i = 0; i < 6; i++)
    if (changed >> i & 1)
      put_delta (out, event->args[i], call->args[i]);
  if (changed & ARGS_RESULT)
    put_delta (out, (guint64) event->result, (guint64) call->result);
  codec_note_call (memory, call, event->nr, event->args);
  if (fields & HAS_RESULT)
    call->result = event->result;
}

static void
put_signal (GByteArray *out, const Event *event)
{
  const guint8 *info = (const guint8 *) &event->siginfo;
  gsize length = sizeof event->siginfo;

  g_assert (event->signo >= 1 && event->signo <= 64);
  while (length > 0 && info[length - 1] == 0)
    length--;
  put_varint (out, (guint32) event->signo);
  put_varint (out, length);
  g_byte_array_append (out, info, (guint) length);
  if (event->sync)
    put_u32 (out, event->check);
}

static void
put_point (GByteArray *out, ThreadMemory *memory, const PointId *point)
{
  g_assert (point->n_words <= POINT_WORDS);
  put_u8 (out, (guint8) point->why);
  put_varint (out, point->arrivals);
  put_regs (out, memory, &point->regs);
  put_u32 (out, point->xstate_hash);
  put_u32 (out, point->memory_hash);
  put_u8 (out, (guint8) point->n_words);
  for (guint i = 0; i < point->n_words; i++)
    {
      put_delta (out, point->words[i].addr, point->regs.rsp);
      put_varint (out, point->words[i].value);
    }
}

static void
put_threads (Codec *codec, GByteArray *out, GArray *threads)
{
  put_varint (out, threads->len);
  for (guint i = 0; i < threads->len; i++)
    {
      const ThreadImage *t = &g_array_index (threads, ThreadImage, i);
      ThreadMemory *memory = codec_select (codec, t->thread);
      gsize name = strnlen (t->name, sizeof t->name - 1);

      put_varint (out, t->thread);
      put_varint (out, (guint32) t->tid);
      put_u8 (out, (guint8) ((t->in_call ? 1 : 0) | (t->xstate != NULL ? 2 : 0)));
      put_regs (out, memory, &t->regs);
      if (t->xstate != NULL)
        put_xstate (out, memory, t->xstate);
      put_u8 (out, (guint8) name);
      g_byte_array_append (out, (const guint8 *) t->name, (guint) name);
    }
}

static void
put_ops (Codec *codec, GByteArray *out, GArray *ops)
{
  put_varint (out, ops->len);
  for (guint i = 0; i < ops->len; i++)
    {
      const MapOp *op = &g_array_index (ops, MapOp, i);

      put_u8 (out, (guint8) op->kind);
      put_delta (out, op->addr, codec->op_end);
      put_varint (out, op->length);
      codec->op_end = op->addr + op->length;
      if (op->kind == MAP_OP_MOVE)
        {
          put_delta (out, op->dest, op->addr);
          put_varint (out, op->dest_length);
        }
      if (op->kind == MAP_OP_MAP || op->kind == MAP_OP_PROTECT)
        put_varint (out, op->prot);
      if (op->kind == MAP_OP_MAP)
        {
          put_varint (out, op->flags);
          put_varint (out, (guint32) (op->file + 1));
          if (op->file != NO_FILE || (op->flags & MAP_ALIAS_))
            put_varint (out, op->offset);
        }
    }
}

static guint8
write_place (const ThreadMemory *memory, Addr addr)
{
  for (guint8 i = 0; i < 6; i++)
    if (memory->args[i] == addr)
      return i;
  return addr == memory->write_end ? WRITE_FOLLOWS : WRITE_DELTA;
}

static void
put_writes (GByteArray *out, ThreadMemory *memory, GArray *writes)
{
  g_assert (writes != NULL);
  put_varint (out, writes->len);
  for (guint i = 0; i < writes->len; i++)
    {
      const MemWrite *w = &g_array_index (writes, MemWrite, i);
      guint8 place = write_place (memory, w->addr);
      gsize length;
      const guint8 *data = g_bytes_get_data (w->data, &length);

      put_u8 (out, place);
      if (place == WRITE_DELTA)
        put_delta (out, w->addr, memory->write);
      put_varint (out, length);
      g_byte_array_append (out, data, (guint) length);
      codec_note_write (memory, w->addr, length);
    }
}

static guint8
more_bits (const Event *event)
{
  guint8 more = 0;

  if (event->ops != NULL && event->ops->len > 0)
    more |= MORE_OPS;
  if (event->has_regs)
    more |= MORE_REGS;
  if (event->xstate != NULL)
    more |= MORE_XSTATE;
  if (event->new_thread != NO_THREAD)
    more |= MORE_THREAD;
  if (event->new_thread != NO_THREAD && event->new_has_fs)
    more |= MORE_NEW_FS;
  if (event->has_digest)
    more |= MORE_DIGEST;
  if (event->kind == EV_SIGNAL ? event->sync : event->no_return)
    more |= MORE_FLAG;
  return more;
}

/* What only events of some kinds have.  */
static void
put_kind_fields (Codec *codec, GByteArray *out, const Event *event, guint8 head)
{
  guint fields = codec_fields (event->kind);

  if (fields & (HAS_CALL | HAS_NR) && !(head & HEAD_SAME_NR))
    put_svarint (out, event->nr);
  if (fields & HAS_CHECK)
    put_u32 (out, event->check);
  if (fields & HAS_CALL)
    put_call (out, codec->memory, event, fields);
  else if (fields & HAS_RESULT)
    put_svarint (out, event->result);
  if (fields & HAS_SIGNAL)
    put_signal (out, event);
  if (fields & HAS_POINT)
    put_point (out, codec->memory, event->point);
  if (fields & HAS_THREADS)
    put_threads (codec, out, event->threads);
}

void
codec_encode (Codec *codec, const Event *event, GByteArray *out)
{
  gboolean same_thread = codec->thread == event->thread;
  ThreadMemory *memory = codec_select (codec, event->thread);
  guint8 more = more_bits (event), head = (guint8) event->kind;

  g_assert (codec_kind_is_known (event->kind) && event->thread < CODEC_THREADS_MAX);
  if (same_thread)
    head |= HEAD_SAME_THREAD;
  if (codec_fields (event->kind) & (HAS_CALL | HAS_NR) && event->nr == memory->nr)
    head |= HEAD_SAME_NR;
  if (event->writes != NULL && event->writes->len > 0)
    head |= HEAD_WRITES;
  if (more != 0)
    head |= HEAD_MORE;

  put_u8 (out, head);
  if (more != 0)
    put_u8 (out, more);
  if (!same_thread)
    put_varint (out, event->thread);
  put_delta (out, event->time, codec->time);
  codec->time = event->time;

  put_kind_fields (codec, out, event, head);
  memory = codec_select (codec, event->thread);
  if (more & MORE_OPS)
    put_ops (codec, out, event->ops);
  if (head & HEAD_WRITES)
    put_writes (out, memory, event->writes);
  if (more & MORE_REGS)
    put_regs (out, memory, &event->regs);
  if (more & MORE_XSTATE)
    put_xstate (out, memory, event->xstate);
  if (more & MORE_THREAD)
    {
      put_varint (out, event->new_thread);
      put_varint (out, (guint32) event->new_tid);
      put_varint (out, event->new_sp);
    }
  if (more & MORE_NEW_FS)
    put_varint (out, event->new_fs);
  if (more & MORE_DIGEST)
    put_u64 (out, event->digest);
}
