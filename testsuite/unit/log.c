/* The log: what was written is read, whatever happened to the file.  */

#include "log-random.h"

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

int
main (int argc, char **argv)
{
  static const LogTest tests[] = {
    { "/log/header", test_header },
    { "/log/create-refuses", test_create_refuses },
    { "/log/events", test_log },
    { "/log/killed", test_killed },
    { "/log/truncated", test_truncated },
    { "/log/damaged", test_damaged },
    { "/log/foreign", test_foreign },
    { "/log/disk-full", test_disk_full },
    { "/log/split", test_split },
  };

  return run_log_tests (argc, argv, tests, G_N_ELEMENTS (tests));
}
