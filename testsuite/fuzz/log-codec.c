/* The events of a chunk, as they are when they have passed the checksum:
   decoded, put into words, and their map operations applied.

   What decodes must encode and decode to the same again.  */

#include "cmd/describe.h"
#include "log/codec.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

static void
use_event (const Event *event, Space *space)
{
  g_autofree char *line = describe_event (event, NULL);

  g_assert_nonnull (line);
  for (guint i = 0; event->ops != NULL && i < event->ops->len; i++)
    {
      const MapOp *op = &g_array_index (event->ops, MapOp, i);
      g_autofree char *text = describe_op (op, NULL);

      g_assert_nonnull (text);
      if (space_apply (space, op, NULL) && op->kind == MAP_OP_MAP)
        g_assert_nonnull (space_find (space, op->addr));
    }
}

/* Encode EVENT, the only one of its chunk, decode it and encode it again:
   the same bytes.  */
static void
check_round_trip (const Event *event)
{
  g_autoptr (Codec) encoder = codec_new (), decoder = codec_new (), again = codec_new ();
  g_autoptr (GByteArray) second = g_byte_array_new ();
  GByteArray *first = g_byte_array_new ();
  g_autoptr (GBytes) raw = NULL;
  g_autoptr (Event) decoded = NULL;
  Cursor in;

  codec_encode (encoder, event, first);
  raw = g_byte_array_free_to_bytes (first);
  cursor_init (&in, g_bytes_get_data (raw, NULL), g_bytes_get_size (raw));
  decoded = codec_decode (decoder, &in, raw, NULL);
  g_assert_nonnull (decoded);
  g_assert_cmpuint (cursor_left (&in), ==, 0);
  codec_encode (again, decoded, second);
  g_assert_cmpmem (g_bytes_get_data (raw, NULL), g_bytes_get_size (raw), second->data, second->len);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autoptr (GBytes) raw = g_bytes_new (data, size);
  g_autoptr (Codec) codec = codec_new ();
  g_autoptr (Space) space = space_new ();
  Cursor in;

  cursor_init (&in, g_bytes_get_data (raw, NULL), size);
  while (cursor_left (&in) > 0)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (Event) event = codec_decode (codec, &in, raw, &error);

      g_assert_cmpint (event == NULL, ==, error != NULL);
      if (event == NULL)
        break;
      use_event (event, space);
      check_round_trip (event);
    }
  g_assert_cmpuint (codec_weight (codec), <, 2 * CODEC_BUDGET);
  return 0;
}
