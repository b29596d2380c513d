/* The log: events survive encoding, files survive accidents.

   Events are random but the same on every run.  What is compared after
   reading is what event.h says a kind has; the rest is not in the log.  */

#include "base/cursor.h"
#include "base/error.h"
#include "base/paths.h"
#include "log/log-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char *
make_dir (void)
{
  g_autoptr (GError) error = NULL;
  char *dir = g_dir_make_tmp ("retro-log-XXXXXX", &error);

  g_assert_no_error (error);
  return dir;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  if (dir == NULL || g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    {
      g_assert_cmpint (g_unlink (path), ==, 0);
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *entry = g_build_filename (path, name, NULL);

      remove_tree (entry);
    }
  g_assert_cmpint (g_rmdir (path), ==, 0);
}

static Log *
create_log (const char *dir)
{
  char *argv[] = { (char *) "prog", (char *) "an argument", NULL };
  LogHeader header = { .argv = argv,
                       .program = (char *) "/bin/prog",
                       .cwd = (char *) "/tmp",
                       .start_time = 1234567890123456,
                       .seed = 77,
                       .check = TRUE,
                       .cpu = (char *) "a cpu" };
  g_autoptr (GError) error = NULL;
  Log *log = log_create (dir, &header, &error);

  g_assert_no_error (error);
  return log;
}

/* --- Random events -------------------------------------------------- */

static guint64
random_number (GRand *rand)
{
  guint64 wide = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);

  return wide >> g_rand_int_range (rand, 0, 64);
}

static GBytes *
random_bytes (GRand *rand, gsize length)
{
  guint8 *data = g_malloc0 (MAX (length, 1));

  for (gsize i = 0; i < length; i += (gsize) g_rand_int_range (rand, 1, 50))
    data[i] = (guint8) g_rand_int (rand);
  return g_bytes_new_take (data, length);
}

static void
random_regs (GRand *rand, Regs *regs)
{
  guint64 words[sizeof *regs / 8];

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    words[i] = random_number (rand);
  memcpy (regs, words, sizeof *regs);
}

static void
random_point (GRand *rand, Event *event)
{
  event->point = g_new0 (PointId, 1);
  event->point->why = (PointWhy) g_rand_int_range (rand, 0, 3);
  event->point->arrivals = random_number (rand);
  random_regs (rand, &event->point->regs);
  event->point->xstate_hash = g_rand_int (rand);
  event->point->memory_hash = g_rand_int (rand);
  event->point->n_words = (guint32) g_rand_int_range (rand, 0, POINT_WORDS + 1);
  for (guint i = 0; i < event->point->n_words; i++)
    {
      event->point->words[i].addr = random_number (rand);
      event->point->words[i].value = random_number (rand);
    }
}

static void
random_threads (GRand *rand, Event *event)
{
  for (int n = g_rand_int_range (rand, 1, 5); n > 0; n--)
    {
      ThreadImage t = { .thread = (ThreadNo) n, .tid = g_rand_int_range (rand, 1, 99999) };

      t.in_call = g_rand_boolean (rand);
      random_regs (rand, &t.regs);
      if (g_rand_boolean (rand))
        t.xstate = random_bytes (rand, 832);
      g_snprintf (t.name, sizeof t.name, "thread %d", g_rand_int_range (rand, 0, 1000000000));
      g_array_append_val (event->threads, t);
    }
}

static void
random_op (GRand *rand, Event *event)
{
  MapOp op = { .kind = (MapOpKind) g_rand_int_range (rand, MAP_OP_MAP, MAP_OP_DISCARD + 1), .file = NO_FILE };

  op.addr = random_number (rand);
  op.length = random_number (rand);
  if (op.kind == MAP_OP_MOVE)
    {
      op.dest = random_number (rand);
      op.dest_length = random_number (rand);
    }
  if (op.kind == MAP_OP_MAP || op.kind == MAP_OP_PROTECT)
    op.prot = (guint32) g_rand_int_range (rand, 0, 8);
  if (op.kind == MAP_OP_MAP)
    {
      op.flags = (guint32) g_rand_int_range (rand, 0, 16);
      if (g_rand_boolean (rand))
        {
          op.file = (guint32) g_rand_int_range (rand, 0, 1000);
          op.offset = random_number (rand);
        }
    }
  event_add_op (event, &op);
}

static void
random_kind_fields (GRand *rand, Event *event)
{
  if (event->kind == EV_SYSCALL || event->kind == EV_ENTER || event->kind == EV_TSC)
    event->check = g_rand_int (rand);
  if (event->kind == EV_SYSCALL || event->kind == EV_ENTER || event->kind == EV_EXIT)
    event->nr = g_rand_int_range (rand, -1, 460);
  if (event->kind == EV_SYSCALL || event->kind == EV_ENTER)
    for (int i = 0; i < 6; i++)
      event->args[i] = random_number (rand);
  if (event->kind == EV_SYSCALL || event->kind == EV_EXIT || event->kind == EV_END)
    event->result = (gint64) random_number (rand);
  if (event->kind == EV_SYSCALL && g_rand_int_range (rand, 0, 20) == 0)
    event->no_return = TRUE;
  if (event->kind == EV_SIGNAL)
    {
      event->signo = g_rand_int_range (rand, 1, 65);
      event->siginfo.si_signo = event->signo;
      event->siginfo.si_pid = g_rand_int_range (rand, 0, 99999);
      event->sync = g_rand_boolean (rand);
      event->check = event->sync ? g_rand_int (rand) : 0;
    }
  if (event->kind == EV_POINT)
    random_point (rand, event);
  if (event->kind == EV_IMAGE)
    random_threads (rand, event);
}

static Event *
random_event (GRand *rand, guint64 time)
{
  EventKind kind = (EventKind) g_rand_int_range (rand, EV_IMAGE, EV_KINDS);
  Event *event = event_new (kind, (ThreadNo) g_rand_int_range (rand, 0, 5));

  event->time = time;
  random_kind_fields (rand, event);
  for (int n = g_rand_int_range (rand, -4, 4); n > 0; n--)
    random_op (rand, event);
  for (int n = g_rand_int_range (rand, -2, 4); n > 0; n--)
    {
      g_autoptr (GBytes) data = random_bytes (rand, (gsize) g_rand_int_range (rand, 0, 400));
      Addr addr = g_rand_boolean (rand) ? random_number (rand) : event->args[g_rand_int_range (rand, 0, 6)];

      event_add_write_bytes (event, addr, data);
    }
  if (g_rand_int_range (rand, 0, 4) == 0)
    {
      event->has_regs = TRUE;
      random_regs (rand, &event->regs);
    }
  if (g_rand_int_range (rand, 0, 8) == 0)
    event->xstate = random_bytes (rand, g_rand_boolean (rand) ? 832 : 2696);
  if (g_rand_int_range (rand, 0, 8) == 0)
    {
      event->new_thread = (ThreadNo) g_rand_int_range (rand, 0, 100);
      event->new_tid = g_rand_int_range (rand, 1, 99999);
      event->new_sp = random_number (rand);
      event->new_has_fs = g_rand_boolean (rand);
      event->new_fs = event->new_has_fs ? random_number (rand) : 0;
    }
  event->has_digest = g_rand_boolean (rand);
  event->digest = event->has_digest ? random_number (rand) : 0;
  return event;
}

/* --- Comparing them ------------------------------------------------- */

static void
assert_same_bytes (GBytes *a, GBytes *b)
{
  g_assert_cmpint (a == NULL, ==, b == NULL);
  if (a != NULL)
    g_assert_true (g_bytes_equal (a, b));
}

static guint
array_length (const GArray *array)
{
  return array != NULL ? array->len : 0;
}

static void
assert_same_event (const Event *a, const Event *b)
{
  g_assert_cmpint (a->kind, ==, b->kind);
  g_assert_cmpuint (a->thread, ==, b->thread);
  g_assert_cmpuint (a->time, ==, b->time);
  g_assert_cmpuint (a->check, ==, b->check);
  g_assert_cmpint (a->nr, ==, b->nr);
  g_assert_cmpmem (a->args, sizeof a->args, b->args, sizeof b->args);
  g_assert_cmpint (a->result, ==, b->result);
  g_assert_cmpint (a->no_return, ==, b->no_return);
  g_assert_cmpint (a->has_regs, ==, b->has_regs);
  g_assert_cmpmem (&a->regs, sizeof a->regs, &b->regs, sizeof b->regs);
  assert_same_bytes (a->xstate, b->xstate);
  g_assert_cmpuint (a->new_thread, ==, b->new_thread);
  g_assert_cmpint (a->new_tid, ==, b->new_tid);
  g_assert_cmpuint (a->new_sp, ==, b->new_sp);
  g_assert_cmpint (a->new_has_fs, ==, b->new_has_fs);
  g_assert_cmpuint (a->new_fs, ==, b->new_fs);
  g_assert_cmpint (a->signo, ==, b->signo);
  g_assert_cmpint (a->sync, ==, b->sync);
  g_assert_cmpmem (&a->siginfo, sizeof a->siginfo, &b->siginfo, sizeof b->siginfo);
  g_assert_cmpint (a->has_digest, ==, b->has_digest);
  g_assert_cmpuint (a->digest, ==, b->digest);

  g_assert_cmpint (a->point == NULL, ==, b->point == NULL);
  if (a->point != NULL)
    g_assert_cmpmem (a->point, sizeof *a->point, b->point, sizeof *b->point);
  g_assert_cmpuint (array_length (a->ops), ==, array_length (b->ops));
  for (guint i = 0; i < array_length (a->ops); i++)
    g_assert_cmpmem (&g_array_index (a->ops, MapOp, i), sizeof (MapOp), &g_array_index (b->ops, MapOp, i),
                     sizeof (MapOp));
  g_assert_cmpuint (array_length (a->writes), ==, array_length (b->writes));
  for (guint i = 0; i < array_length (a->writes); i++)
    {
      g_assert_cmpuint (g_array_index (a->writes, MemWrite, i).addr, ==,
                        g_array_index (b->writes, MemWrite, i).addr);
      assert_same_bytes (g_array_index (a->writes, MemWrite, i).data,
                         g_array_index (b->writes, MemWrite, i).data);
    }
  g_assert_cmpuint (array_length (a->threads), ==, array_length (b->threads));
  for (guint i = 0; i < array_length (a->threads); i++)
    {
      const ThreadImage *s = &g_array_index (a->threads, ThreadImage, i);
      const ThreadImage *t = &g_array_index (b->threads, ThreadImage, i);

      g_assert_cmpuint (s->thread, ==, t->thread);
      g_assert_cmpint (s->tid, ==, t->tid);
      g_assert_cmpint (s->in_call, ==, t->in_call);
      g_assert_cmpmem (&s->regs, sizeof s->regs, &t->regs, sizeof t->regs);
      assert_same_bytes (s->xstate, t->xstate);
      g_assert_cmpstr (s->name, ==, t->name);
    }
}

/* The events of a log made by fill_log are these again.  */
static void
check_events (Log *log, guint32 seed, EventNo from, EventNo to)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (EventNo n = 0; n < to; n++)
    {
      g_autoptr (Event) expected = random_event (rand, n * 10);
      g_autoptr (GError) error = NULL;
      const Event *event;

      if (n < from)
        continue;
      event = log_get (log, n, &error);
      g_assert_no_error (error);
      assert_same_event (expected, event);
    }
}

static void
fill_log (Log *log, guint32 seed, EventNo count)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (GError) error = NULL;

  for (EventNo n = 0; n < count; n++)
    {
      g_assert_true (log_append (log, random_event (rand, n * 10), &error));
      g_assert_no_error (error);
    }
}

static void
close_log (Log *log)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (log_close (log, &error));
  g_assert_no_error (error);
}

static Log *
open_log (const char *dir)
{
  g_autoptr (GError) error = NULL;
  Log *log = log_open (dir, &error);

  g_assert_no_error (error);
  return log;
}

/* --- Tests ---------------------------------------------------------- */

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

static void
test_header (void)
{
  g_autofree char *dir = make_dir ();
  Log *log = create_log (dir);
  const LogHeader *header;
  struct stat st;

  close_log (log);
  log = open_log (dir);
  header = log_header (log);
  g_assert_cmpuint (g_strv_length (header->argv), ==, 2);
  g_assert_cmpstr (header->argv[1], ==, "an argument");
  g_assert_cmpstr (header->program, ==, "/bin/prog");
  g_assert_cmpstr (header->cwd, ==, "/tmp");
  g_assert_cmpuint (header->start_time, ==, 1234567890123456);
  g_assert_cmpuint (header->seed, ==, 77);
  g_assert_true (header->check);
  g_assert_cmpstr (header->cpu, ==, "a cpu");
  g_assert_cmpuint (log_length (log), ==, 0);
  g_assert_false (log_is_truncated (log));
  close_log (log);

  g_autofree char *path = g_build_filename (dir, "log", NULL);
  g_assert_cmpint (stat (path, &st), ==, 0);
  g_assert_cmpuint (st.st_mode & 0777, ==, 0600);
  remove_tree (dir);
}

static void
test_create_refuses (void)
{
  LogHeader header = { .argv = NULL };
  g_autofree char *dir = make_dir ();
  g_autoptr (GError) error = NULL;

  close_log (create_log (dir));
  g_assert_null (log_create (dir, &header, &error));
  g_assert_error (error, RETRO_ERROR, RETRO_ERROR_USAGE);
  remove_tree (dir);
  g_clear_error (&error);
  g_assert_null (log_create (dir, &header, &error));
  g_assert_error (error, RETRO_ERROR, RETRO_ERROR_FAILED);
}

/* Written and read, also while still being written.  */
static void
test_log (void)
{
  const EventNo count = 30000;
  g_autofree char *dir = make_dir ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  g_autoptr (GPtrArray) expected = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);
  Log *log = create_log (dir);

  fill_log (log, 5, count);
  g_assert_cmpuint (log_length (log), ==, count);
  check_events (log, 5, 0, count);
  g_assert_null (log_get (log, count, NULL));
  close_log (log);

  log = open_log (dir);
  g_assert_false (log_is_truncated (log));
  g_assert_cmpuint (log_length (log), ==, count);
  check_events (log, 5, 0, count);
  g_assert_null (log_get (log, count, NULL));

  {
    g_autoptr (GRand) again = g_rand_new_with_seed (5);

    for (EventNo n = 0; n < count; n++)
      g_ptr_array_add (expected, random_event (again, n * 10));
  }
  for (int i = 0; i < 300; i++)
    {
      gint32 n = g_rand_int_range (rand, 0, (gint32) count);

      assert_same_event (g_ptr_array_index (expected, n), log_get (log, (EventNo) n, NULL));
    }
  close_log (log);
  remove_tree (dir);
}

/* What another process sees of a recording that is still being made, or
   whose recorder was killed: all that was flushed.  */
static void
test_killed (void)
{
  g_autofree char *dir = make_dir ();
  Log *log = create_log (dir), *reader;

  fill_log (log, 6, 1000);
  g_assert_true (log_flush (log, NULL));
  reader = open_log (dir);
  g_assert_true (log_is_truncated (reader));
  g_assert_cmpuint (log_length (reader), ==, 1000);
  check_events (reader, 6, 0, 1000);
  close_log (reader);

  /* A second of program time makes a flush of its own.  */
  Event *event = event_new (EV_MEMORY, 0);
  event->time = 10000 * 10 + 2 * G_USEC_PER_SEC;
  g_assert_true (log_append (log, event, NULL));
  reader = open_log (dir);
  g_assert_cmpuint (log_length (reader), ==, 1001);
  close_log (reader);
  close_log (log);
  remove_tree (dir);
}

static void
write_file (const char *dir, const char *data, gsize length)
{
  g_autofree char *path = g_build_filename (dir, "log", NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, data, (gssize) length, &error);
  g_assert_no_error (error);
}

/* However short the file, its whole chunks are readable.  */
static void
test_truncated (void)
{
  const EventNo count = 6000;
  g_autofree char *dir = make_dir ();
  g_autofree char *path = g_build_filename (dir, "log", NULL);
  g_autofree char *data = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  gsize length;
  EventNo longest = 0;
  Log *log = create_log (dir);

  for (int i = 0; i < 6; i++)
    {
      g_autoptr (GRand) events = g_rand_new_with_seed (8);

      for (EventNo n = 0; n < count; n++)
        {
          Event *event = random_event (events, n * 10);

          if (n / 1000 != (EventNo) i)
            event_free (event);
          else
            g_assert_true (log_append (log, event, NULL));
        }
      g_assert_true (log_flush (log, NULL));
    }
  close_log (log);
  g_assert_true (g_file_get_contents (path, &data, &length, NULL));

  for (int i = 0; i < 200; i++)
    {
      gsize cut = i < 100 ? (gsize) i : (gsize) g_rand_int_range (rand, 0, (gint32) length);
      g_autoptr (GError) error = NULL;

      write_file (dir, data, cut);
      log = log_open (dir, &error);
      if (log == NULL)
        {
          g_assert_error (error, RETRO_ERROR, RETRO_ERROR_FORMAT);
          g_assert_nonnull (strstr (error->message, path));
          g_assert_cmpuint (cut, <, 200);
          continue;
        }
      g_assert_true (log_is_truncated (log));
      longest = MAX (longest, log_length (log));
      if (log_length (log) > 0)
        check_events (log, 8, log_length (log) - 1, log_length (log));
      close_log (log);
    }
  g_assert_cmpuint (longest, >=, 4000);
  remove_tree (dir);
}

/* A changed byte is found, never shown as truth.  */
static void
test_damaged (void)
{
  const EventNo count = 3000;
  g_autofree char *dir = make_dir ();
  g_autofree char *path = g_build_filename (dir, "log", NULL);
  g_autofree char *data = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (12);
  guint refused = 0, shorter = 0, unreadable = 0;
  gsize length;
  Log *log = create_log (dir);

  fill_log (log, 8, count);
  close_log (log);
  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  for (int i = 0; i < 120; i++)
    {
      gsize at = i < 60 ? (gsize) i : (gsize) g_rand_int_range (rand, 60, (gint32) length);
      char saved = data[at];

      data[at] = (char) (saved ^ (1 << g_rand_int_range (rand, 0, 8)));
      write_file (dir, data, length);
      data[at] = saved;
      log = log_open (dir, NULL);
      if (log == NULL)
        refused++;
      else if (log_is_truncated (log))
        shorter++;
      else if (log_get (log, 0, NULL) == NULL || log_get (log, count - 1, NULL) == NULL)
        unreadable++;
      else
        check_events (log, 8, 0, 10);
      log_abandon (log);
    }
  g_assert_cmpuint (refused, >=, 50);
  g_assert_cmpuint (unreadable, >, 0);
  g_test_message ("%u refused, %u shorter, %u with unreadable chunks", refused, shorter, unreadable);
  remove_tree (dir);
}

static void
test_foreign (void)
{
  static const struct
  {
    const char *data;
    gsize length;
    const char *say;
  } files[] = {
    { "", 0, "not a log" },
    { "#!/bin/sh\nexit 0\n", 17, "not a log" },
    { "RETROLOG\1\0\0\0\0\0\0\0", 16, "version 1" },
    { "RETROLOG\2\0\0\0\1\0\0\0", 16, "not a log" },
    { "RETROLOG\2\0\0\0\0\0\0\0", 16, "ends inside" },
    { "RETROLOG\2\0\0\0\0\0\0\0#######################################################", 70, "no chunk" },
  };
  g_autofree char *dir = make_dir ();

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GError) error = NULL;

      write_file (dir, files[i].data, files[i].length);
      g_assert_null (log_open (dir, &error));
      g_assert_error (error, RETRO_ERROR, RETRO_ERROR_FORMAT);
      g_assert_nonnull (strstr (error->message, files[i].say));
    }
  remove_tree (dir);
}

/* The limit on file sizes stands in for a full disk.  */
static void
test_disk_full (void)
{
  g_autofree char *dir = make_dir ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (13);
  g_autoptr (GError) error = NULL, again = NULL;
  Log *log = create_log (dir);
  struct rlimit old, small;
  EventNo on_disk, n;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  small = old;
  small.rlim_cur = 700000;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  for (n = 0; log_append (log, random_event (rand, n * 10), &error); n++)
    ;
  g_assert_error (error, RETRO_ERROR, RETRO_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "disk full while writing"));
  g_assert_false (log_append (log, event_new (EV_MEMORY, 0), &again));
  g_assert_cmpstr (again->message, ==, error->message);
  g_clear_error (&again);

  /* All is readable as long as the log is open ...  */
  g_assert_cmpuint (log_length (log), ==, n + 1);
  assert_same_event (log_get (log, n, NULL), log_get (log, n, NULL));
  g_assert_false (log_close (log, &again));
  g_assert_cmpstr (again->message, ==, error->message);
  setrlimit (RLIMIT_FSIZE, &old);

  /* ... and what was written remains.  */
  log = open_log (dir);
  g_assert_true (log_is_truncated (log));
  on_disk = log_length (log);
  g_assert_cmpuint (on_disk, >, 1000);
  check_events (log, 13, 0, on_disk);
  close_log (log);
  remove_tree (dir);
}

/* More written memory than a chunk may hold.  */
static void
test_split (void)
{
  const gsize size = (40u << 20) + 12345;
  g_autofree char *dir = make_dir ();
  g_autofree guint8 *data = g_malloc (size), *seen = g_malloc0 (size);
  Event *event = event_new (EV_SYSCALL, 0);
  gsize total = 0;
  Log *log = create_log (dir);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) (i * 7 + (i >> 12));
  event->result = (gint64) size;
  event->has_digest = TRUE;
  event->digest = 99;
  event_add_write (event, 0x10000, data, 100);
  event_add_write (event, 0x10000 + 100, data + 100, size - 100);
  g_assert_true (log_append (log, event, NULL));
  close_log (log);

  log = open_log (dir);
  g_assert_cmpuint (log_length (log), ==, 3);
  for (EventNo n = 0; n < 3; n++)
    {
      const Event *part = log_get (log, n, NULL);

      g_assert_nonnull (part);
      g_assert_cmpint (part->kind, ==, n == 0 ? EV_SYSCALL : EV_MEMORY);
      g_assert_cmpint (part->has_digest, ==, n == 2);
      for (guint i = 0; i < part->writes->len; i++)
        {
          const MemWrite *w = &g_array_index (part->writes, MemWrite, i);
          gsize length;
          const guint8 *bytes = g_bytes_get_data (w->data, &length);

          g_assert_cmpuint (w->addr, ==, 0x10000 + total);
          memcpy (seen + total, bytes, length);
          total += length;
        }
    }
  g_assert_cmpmem (data, size, seen, total);
  close_log (log);
  remove_tree (dir);
}

static int
make_file (const char *dir, const char *name, const char *contents, gboolean old)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);
  int fd;

  g_assert_true (g_file_set_contents (path, contents, -1, NULL));
  fd = open (path, O_RDWR | O_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  if (old)
    {
      /* The store trusts only files that have not changed for a moment;
         wait until the clock says so.  */
      struct stat st;
      struct timespec now;

      g_assert_cmpint (fstat (fd, &st), ==, 0);
      do
        clock_gettime (CLOCK_REALTIME, &now);
      while ((now.tv_sec - st.st_ctim.tv_sec) * 1000000000l + now.tv_nsec - st.st_ctim.tv_nsec < 30000000);
    }
  return fd;
}

static void
assert_file (Log *log, guint32 number, const char *name, const char *contents)
{
  g_autofree char *path = log_file_path (log, number), *data = NULL;

  g_assert_cmpstr (log_file_name (log, number), ==, name);
  g_assert_true (g_file_get_contents (path, &data, NULL, NULL));
  g_assert_cmpstr (data, ==, contents);
}

static void
test_files (void)
{
  g_autofree char *source = make_dir ();
  char *dirs[2] = { make_dir (), make_dir () };
  struct stat st[2];
  guint32 number;
  int fd = make_file (source, "a", "contents of a", TRUE);

  for (int i = 0; i < 2; i++)
    {
      Log *log = create_log (dirs[i]);
      g_autofree char *path = log_file_path (log, 0);

      g_assert_true (log_add_file (log, fd, "/the/a", &number, NULL));
      g_assert_cmpuint (number, ==, 0);
      g_assert_true (log_add_file (log, fd, "/the/a", &number, NULL));
      g_assert_cmpuint (number, ==, 0);
      g_assert_cmpint (stat (path, &st[i]), ==, 0);
      g_assert_cmpuint (st[i].st_mode & 0777, ==, 0400);

      int other = make_file (source, "b", "contents of b", FALSE);
      g_assert_true (log_add_file (log, other, "/the/b", &number, NULL));
      g_assert_cmpuint (number, ==, 1);
      close (other);
      fill_log (log, 1, 10);
      g_assert_true (log_flush (log, NULL));

      /* A log that was cut off knows them, too.  */
      Log *reader = open_log (dirs[i]);
      g_assert_true (log_is_truncated (reader));
      g_assert_cmpuint (log_n_files (reader), ==, 2);
      close_log (reader);

      close_log (log);
      log = open_log (dirs[i]);
      g_assert_cmpuint (log_n_files (log), ==, 2);
      assert_file (log, 0, "/the/a", "contents of a");
      assert_file (log, 1, "/the/b", "contents of b");
      g_assert_null (log_file_name (log, 2));
      check_events (log, 1, 0, 10);
      close_log (log);
    }
  g_assert_cmpuint (st[0].st_ino, ==, st[1].st_ino);

  close (fd);
  for (int i = 0; i < 2; i++)
    {
      remove_tree (dirs[i]);
      g_free (dirs[i]);
    }
  remove_tree (source);
}

/* A file that changes under its name gets another number.  */
static void
test_files_changed (void)
{
  g_autofree char *source = make_dir (), *dir = make_dir ();
  Log *log = create_log (dir);
  guint32 number;
  int fd = make_file (source, "a", "before", FALSE);

  g_assert_true (log_add_file (log, fd, "a", &number, NULL));
  g_assert_cmpint (pwrite (fd, "behind", 6, 0), ==, 6);
  g_assert_true (log_add_file (log, fd, "a", &number, NULL));
  g_assert_cmpuint (number, ==, 1);
  assert_file (log, 0, "a", "before");
  assert_file (log, 1, "a", "behind");
  close (fd);
  fd = open ("/dev/null", O_RDONLY);
  g_assert_false (log_add_file (log, fd, "null", &number, NULL));
  close (fd);
  close_log (log);
  remove_tree (source);
  remove_tree (dir);
}

/* Entries go when nothing links to them, and are made again.  */
static void
test_prune (void)
{
  g_autofree char *source = make_dir (), *store = make_dir (), *dir = make_dir ();
  g_autofree char *first = g_build_filename (dir, "first", NULL),
                  *second = g_build_filename (dir, "second", NULL);
  g_autofree char *entry = g_build_filename (store, "key", NULL);
  int fd = make_file (source, "a", "contents", FALSE);
  gboolean new;

  g_assert_true (store_put (store, "key", fd, first, &new, NULL));
  g_assert_true (new);
  store_prune (store, 0);
  g_assert_true (g_file_test (entry, G_FILE_TEST_EXISTS));
  g_assert_true (store_put (store, "key", fd, second, &new, NULL));
  g_assert_false (new);
  g_unlink (first);
  g_unlink (second);
  store_prune (store, 3600);
  g_assert_true (g_file_test (entry, G_FILE_TEST_EXISTS));
  store_prune (store, 0);
  g_assert_false (g_file_test (entry, G_FILE_TEST_EXISTS));
  g_assert_true (store_put (store, "key", fd, first, &new, NULL));
  g_assert_true (new);
  close (fd);
  remove_tree (source);
  remove_tree (store);
  remove_tree (dir);
}

/* Without a store recordings have copies.  */
static void
test_no_store (void)
{
  g_autofree char *source = make_dir (), *dir = make_dir (), *data_dir = paths_data_dir ();
  g_autofree char *store = g_build_filename (data_dir, "files", NULL);
  int fd = make_file (source, "a", "contents", TRUE);
  Log *log = create_log (dir);
  guint32 number;

  if (g_file_test (store, G_FILE_TEST_EXISTS))
    remove_tree (store);
  g_mkdir_with_parents (data_dir, 0700);
  g_assert_true (g_file_set_contents (store, "no directory", -1, NULL));
  g_assert_true (log_add_file (log, fd, "a", &number, NULL));
  assert_file (log, number, "a", "contents");
  close (fd);
  close_log (log);
  g_unlink (store);
  remove_tree (source);
  remove_tree (dir);
}

static void
test_paths (void)
{
  g_autofree char *data_dir = paths_data_dir (), *latest = paths_default_recording ();
  g_autofree char *first = paths_new_recording ("/usr/bin/prog", NULL);
  g_autofree char *second = paths_new_recording ("prog", NULL);
  g_autofree char *expected = g_build_filename (data_dir, "prog-0", NULL);
  g_autofree char *target = NULL;
  struct stat st;

  g_assert_cmpstr (first, ==, expected);
  g_assert_true (g_str_has_suffix (second, "/prog-1"));
  g_assert_cmpint (stat (second, &st), ==, 0);
  g_assert_cmpuint (st.st_mode & 0777, ==, 0700);
  target = g_file_read_link (latest, NULL);
  g_assert_cmpstr (target, ==, "prog-1");

  /* Numbers are not used again while a higher one is there.  */
  g_assert_cmpint (g_rmdir (first), ==, 0);
  g_autofree char *third = paths_new_recording ("prog", NULL);
  g_assert_true (g_str_has_suffix (third, "/prog-2"));
}

static void
test_regs_check (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  Regs regs, other;
  guint32 check, call_check;

  random_regs (rand, &regs);
  check = regs_check (&regs, FALSE);
  call_check = regs_check (&regs, TRUE);

#define EXPECT(FIELD, SEEN, SEEN_AT_CALL)                                                                    \
  other = regs;                                                                                              \
  other.FIELD ^= 1;                                                                                          \
  g_assert_cmpint (regs_check (&other, FALSE) != check, ==, SEEN);                                           \
  g_assert_cmpint (regs_check (&other, TRUE) != call_check, ==, SEEN_AT_CALL)
  EXPECT (rdi, TRUE, TRUE);
  EXPECT (rip, TRUE, TRUE);
  EXPECT (rsp, TRUE, TRUE);
  EXPECT (eflags, TRUE, TRUE);
  EXPECT (fs_base, TRUE, TRUE);
  EXPECT (gs_base, TRUE, TRUE);
  EXPECT (rax, TRUE, FALSE);
  EXPECT (rcx, TRUE, FALSE);
  EXPECT (r11, TRUE, FALSE);
  EXPECT (orig_rax, FALSE, FALSE);
#undef EXPECT
  other = regs;
  other.eflags ^= 0x10100;
  g_assert_cmpuint (regs_check (&other, FALSE), ==, check);
  other = regs;
  other.rsi = regs.rdi;
  other.rdi = regs.rsi;
  g_assert_cmpuint (regs_check (&other, FALSE), !=, check);
}

#define XSTATE_SIZE 832

static guint32
hash_of (const guint8 *image)
{
  g_autoptr (GBytes) bytes = g_bytes_new (image, XSTATE_SIZE);

  return xstate_hash (bytes);
}

static void
test_xstate_hash (void)
{
  guint8 stored[XSTATE_SIZE] = { 0x7f, 0x03 }, left_out[XSTATE_SIZE], other[XSTATE_SIZE];
  guint32 init;

  stored[24] = 0x80;
  stored[25] = 0x1f;
  memcpy (left_out, stored, sizeof stored);
  stored[512] = 7;
  init = hash_of (stored);
  g_assert_cmpuint (hash_of (left_out), ==, init);

  /* Contents of components that are left out do not count.  */
  left_out[0] = 0;
  left_out[160] = 0xaa;
  left_out[576] = 0xaa;
  g_assert_cmpuint (hash_of (left_out), ==, init);

#define EXPECT(OFFSET, SEEN)                                                                                 \
  memcpy (other, stored, sizeof other);                                                                      \
  other[OFFSET] ^= 1;                                                                                        \
  g_assert_cmpint (hash_of (other) != init, ==, SEEN)
  EXPECT (0, TRUE);    /* FCW  */
  EXPECT (4, TRUE);    /* FTW  */
  EXPECT (32, TRUE);   /* st0  */
  EXPECT (41, TRUE);   /* its last byte  */
  EXPECT (42, FALSE);  /* reserved  */
  EXPECT (24, TRUE);   /* MXCSR  */
  EXPECT (160, TRUE);  /* xmm0  */
  EXPECT (415, TRUE);  /* xmm15  */
  EXPECT (6, FALSE);   /* FOP  */
  EXPECT (8, FALSE);   /* FIP  */
  EXPECT (16, FALSE);  /* FDP  */
  EXPECT (470, FALSE); /* software's  */
  if (__builtin_cpu_supports ("avx"))
    {
      EXPECT (576, TRUE); /* ymm0, upper half  */
    }
#undef EXPECT
  left_out[24] ^= 0x40; /* MXCSR counts without SSE, too  */
  g_assert_cmpuint (hash_of (left_out), !=, init);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (void);
  } tests[] = {
    { "/cursor/round-trip", test_cursor },
    { "/cursor/malformed", test_cursor_malformed },
    { "/codec/round-trip", test_codec },
    { "/codec/malformed", test_codec_malformed },
    { "/log/futex-size", test_futex_size },
    { "/log/header", test_header },
    { "/log/create-refuses", test_create_refuses },
    { "/log/events", test_log },
    { "/log/killed", test_killed },
    { "/log/truncated", test_truncated },
    { "/log/damaged", test_damaged },
    { "/log/foreign", test_foreign },
    { "/log/disk-full", test_disk_full },
    { "/log/split", test_split },
    { "/log/files", test_files },
    { "/log/files-changed", test_files_changed },
    { "/log/prune", test_prune },
    { "/log/no-store", test_no_store },
    { "/paths", test_paths },
    { "/check/regs", test_regs_check },
    { "/check/xstate", test_xstate_hash },
  };
  g_autofree char *data_home = make_dir ();
  int status;

  g_setenv ("XDG_DATA_HOME", data_home, TRUE);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add_func (tests[i].path, tests[i].run);
  status = g_test_run ();
  remove_tree (data_home);
  return status;
}
