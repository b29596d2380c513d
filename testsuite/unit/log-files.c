/* The files that a recording keeps: stored once, linked, pruned.  */

#include "log-random.h"

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

int
main (int argc, char **argv)
{
  static const LogTest tests[] = {
    { "/log/files", test_files },
    { "/log/files-changed", test_files_changed },
    { "/log/prune", test_prune },
    { "/log/no-store", test_no_store },
    { "/paths", test_paths },
  };

  return run_log_tests (argc, argv, tests, G_N_ELEMENTS (tests));
}
