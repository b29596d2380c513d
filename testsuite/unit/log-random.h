/* What the tests of the log share: random events, and their comparison.

   Events are random but the same on every run.  What is compared after
   reading is what event.h says a kind has; the rest is not in the log.  */

#ifndef RETRO_TEST_LOG_RANDOM_H
#define RETRO_TEST_LOG_RANDOM_H

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

G_GNUC_UNUSED static char *
make_dir (void)
{
  g_autoptr (GError) error = NULL;
  char *dir = g_dir_make_tmp ("retro-log-XXXXXX", &error);

  g_assert_no_error (error);
  return dir;
}

G_GNUC_UNUSED static void
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

G_GNUC_UNUSED static Log *
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

G_GNUC_UNUSED static guint64
random_number (GRand *rand)
{
  guint64 wide = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);

  return wide >> g_rand_int_range (rand, 0, 64);
}

G_GNUC_UNUSED static GBytes *
random_bytes (GRand *rand, gsize length)
{
  guint8 *data = g_malloc0 (MAX (length, 1));

  for (gsize i = 0; i < length; i += (gsize) g_rand_int_range (rand, 1, 50))
    data[i] = (guint8) g_rand_int (rand);
  return g_bytes_new_take (data, length);
}

G_GNUC_UNUSED static void
random_regs (GRand *rand, Regs *regs)
{
  guint64 words[sizeof *regs / 8];

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    words[i] = random_number (rand);
  memcpy (regs, words, sizeof *regs);
}

G_GNUC_UNUSED static void
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

G_GNUC_UNUSED static void
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

G_GNUC_UNUSED static void
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

G_GNUC_UNUSED static void
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

G_GNUC_UNUSED static Event *
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

G_GNUC_UNUSED static void
assert_same_bytes (GBytes *a, GBytes *b)
{
  g_assert_cmpint (a == NULL, ==, b == NULL);
  if (a != NULL)
    g_assert_true (g_bytes_equal (a, b));
}

G_GNUC_UNUSED static guint
array_length (const GArray *array)
{
  return array != NULL ? array->len : 0;
}

G_GNUC_UNUSED static void
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
G_GNUC_UNUSED static void
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

G_GNUC_UNUSED static void
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

G_GNUC_UNUSED static void
close_log (Log *log)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (log_close (log, &error));
  g_assert_no_error (error);
}

G_GNUC_UNUSED static Log *
open_log (const char *dir)
{
  g_autoptr (GError) error = NULL;
  Log *log = log_open (dir, &error);

  g_assert_no_error (error);
  return log;
}

/* --- Running tests -------------------------------------------------- */

typedef struct
{
  const char *path;
  void (*run) (void);
} LogTest;

/* With a store of files of their own.  */
static int
run_log_tests (int argc, char **argv, const LogTest *tests, gsize n)
{
  g_autofree char *data_home = make_dir ();
  int status;

  g_setenv ("XDG_DATA_HOME", data_home, TRUE);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < n; i++)
    g_test_add_func (tests[i].path, tests[i].run);
  status = g_test_run ();
  remove_tree (data_home);
  return status;
}

#endif
