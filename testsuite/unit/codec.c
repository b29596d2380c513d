/* Events survive encoding; malformed bytes are refused.  */

#include "log-random.h"

static void
test_cursor (void)
{
  static const guint64 numbers[] = { 0, 1, 127, 128, 16383, 16384, G_MAXUINT32, G_MAXINT64, G_MAXUINT64 };
  g_autoptr (GByteArray) out = g_byte_array_new ();
  Cursor in;

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      put_varint (out, numbers[i]);
      put_svarint (out, (gint64) numbers[i]);
    }
  put_string (out, "text");
  put_u32 (out, 0x01020304);
  cursor_init (&in, out->data, out->len);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_assert_cmpuint (cursor_varint (&in), ==, numbers[i]);
      g_assert_cmpint (cursor_svarint (&in), ==, (gint64) numbers[i]);
    }
  g_autofree char *text = cursor_string (&in, 4);
  g_assert_cmpstr (text, ==, "text");
  g_assert_cmpuint (cursor_u32 (&in), ==, 0x01020304);
  g_assert_false (in.failed);
  g_assert_cmpuint (cursor_left (&in), ==, 0);

  /* All further reads fail and give zeros.  */
  g_assert_cmpuint (cursor_u8 (&in), ==, 0);
  g_assert_true (in.failed);
  g_assert_cmpuint (cursor_u64 (&in), ==, 0);
  g_assert_null (cursor_string (&in, 10));
}

static void
test_cursor_malformed (void)
{
  static const guint8 too_long[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01 };
  static const guint8 too_large[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 };
  static const guint8 not_32[] = { 0xff, 0xff, 0xff, 0xff, 0x1f };
  static const guint8 with_nul[] = { 2, 'a', 0 };
  static const guint8 short_string[] = { 200, 1, 'a' };
  Cursor in;

  cursor_init (&in, too_long, sizeof too_long);
  g_assert_cmpuint (cursor_varint (&in), ==, 0);
  g_assert_true (in.failed);
  cursor_init (&in, too_large, sizeof too_large);
  g_assert_cmpuint (cursor_varint (&in), ==, 0);
  g_assert_true (in.failed);
  cursor_init (&in, not_32, sizeof not_32);
  g_assert_cmpuint (cursor_varint32 (&in), ==, 0);
  g_assert_true (in.failed);
  cursor_init (&in, with_nul, sizeof with_nul);
  g_assert_null (cursor_string (&in, 10));
  cursor_init (&in, short_string, sizeof short_string);
  g_assert_null (cursor_string (&in, 1000));
}

static void
test_codec (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GPtrArray) events = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);
  g_autoptr (Codec) encoder = codec_new ();
  g_autoptr (Codec) decoder = codec_new ();
  GByteArray *out = g_byte_array_new ();
  g_autoptr (GBytes) raw = NULL;
  Cursor in;

  for (guint i = 0; i < 5000; i++)
    {
      g_ptr_array_add (events, random_event (rand, random_number (rand)));
      codec_encode (encoder, g_ptr_array_index (events, i), out);
    }
  raw = g_byte_array_free_to_bytes (out);
  cursor_init (&in, g_bytes_get_data (raw, NULL), g_bytes_get_size (raw));
  for (guint i = 0; i < events->len; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (Event) event = codec_decode (decoder, &in, raw, &error);

      g_assert_no_error (error);
      assert_same_event (g_ptr_array_index (events, i), event);
    }
  g_assert_cmpuint (cursor_left (&in), ==, 0);
}

/* Every prefix and every changed byte of some events: no crash, and a
   prefix never passes for the whole.  */
static void
test_codec_malformed (void)
{
  for (guint32 seed = 0; seed < 60; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (Event) event = random_event (rand, 7);
      g_autoptr (Codec) encoder = codec_new ();
      g_autoptr (GByteArray) out = g_byte_array_new ();

      codec_encode (encoder, event, out);
      for (guint length = 0; length < out->len; length++)
        {
          g_autoptr (GBytes) raw = g_bytes_new (out->data, length);
          g_autoptr (Codec) decoder = codec_new ();
          g_autoptr (GError) error = NULL;
          Cursor in;

          cursor_init (&in, g_bytes_get_data (raw, NULL), length);
          g_assert_null (codec_decode (decoder, &in, raw, &error));
          g_assert_error (error, RETRO_ERROR, RETRO_ERROR_FORMAT);
        }
      for (guint i = 0; i < out->len; i++)
        {
          guint8 saved = out->data[i];
          g_autoptr (GBytes) raw = NULL;
          g_autoptr (Codec) decoder = codec_new ();
          g_autoptr (Event) other = NULL;
          Cursor in;

          out->data[i] = (guint8) g_rand_int (rand);
          raw = g_bytes_new (out->data, out->len);
          out->data[i] = saved;
          cursor_init (&in, g_bytes_get_data (raw, NULL), out->len);
          other = codec_decode (decoder, &in, raw, NULL);
        }
    }
}

/* Two threads that lock and unlock: the promise is 20 bytes an event on
   disk; ours is 10.  */
static void
test_futex_size (void)
{
  g_autofree char *dir = make_dir ();
  Log *log = create_log (dir);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  guint64 before = log_bytes (log), time = 0;

  for (guint i = 0; i < 20000; i++)
    {
      Event *event = event_new (i % 8 == 5 ? EV_EXIT : i % 8 == 4 ? EV_ENTER : EV_SYSCALL, i / 4 % 2);
      gboolean wake = g_rand_boolean (rand);

      event->time = time += (guint64) g_rand_int_range (rand, 5, 60);
      event->nr = 202;
      event->check = event->kind == EV_EXIT ? 0 : g_rand_int (rand);
      if (event->kind != EV_EXIT)
        {
          event->args[0] = 0x555555558040 + 64 * (guint64) g_rand_int_range (rand, 0, 4);
          event->args[1] = wake ? 129 : 128;
          event->args[2] = wake ? 1 : 2;
        }
      event->result = event->kind == EV_ENTER ? 0 : wake ? 1 : -11;
      g_assert_true (log_append (log, event, NULL));
    }
  g_assert_true (log_flush (log, NULL));
  g_test_message ("%.2f bytes per event", (double) (log_bytes (log) - before) / 20000);
  g_assert_cmpuint (log_bytes (log) - before, <, 20000 * 10);
  close_log (log);
  remove_tree (dir);
}

int
main (int argc, char **argv)
{
  static const LogTest tests[] = {
    { "/cursor/round-trip", test_cursor },
    { "/cursor/malformed", test_cursor_malformed },
    { "/codec/round-trip", test_codec },
    { "/codec/malformed", test_codec_malformed },
    { "/log/futex-size", test_futex_size },
  };

  return run_log_tests (argc, argv, tests, G_N_ELEMENTS (tests));
}
