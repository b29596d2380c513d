/* Recorded programs of the test suite, run on from random places by
   translation and by single steps: the count, the way it ends, and the whole
   state must be equal; and without counting, the stretch must end equally.

   A few programs are chosen at random for each run, as many as there is time
   for; --seed=... repeats a run, RETRO_TEST_ONLY=AREA/NAME takes one
   program, RETRO_TEST_LONG takes ten times as long.  */

#include "base/cpu.h"
#include "base/error.h"
#include "replay/private.h"
#include "replay/replay.h"
#include "ticks/ticks.h"

#include <glib/gstdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUDGET_USEC 15000000
/* Programs that compute for long are recorded no longer than that.  */
#define RECORD_SECONDS "10"
#define STRETCHES 3       /* of a program  */
#define WINDOW_TICKS 200  /* at most, stepped  */
#define STRETCH_TICKS 50000000
/* A rep instruction has millions of steps and not one tick; such windows are
   given up.  */
#define STEPS_USEC 2000000

static struct
{
  guint programs, windows, inside, stretches, given_up;
  guint64 ticks;
} sums;

/* The path in the environment variable NAME, absolute.  */
static char *
get_path (const char *name, const char *otherwise)
{
  const char *path = g_getenv (name);

  return g_canonicalize_filename (path != NULL ? path : otherwise, NULL);
}

static void
list_area (GPtrArray *programs, const char *area)
{
  g_autofree char *build = get_path ("BUILD", "build");
  g_autofree char *path = g_build_filename (build, "testsuite", area, NULL);
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      if (strchr (name, '.') == NULL && g_file_test (file, G_FILE_TEST_IS_EXECUTABLE)
          && !g_file_test (file, G_FILE_TEST_IS_DIR))
        g_ptr_array_add (programs, g_steal_pointer (&file));
    }
  if (dir != NULL)
    g_dir_close (dir);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static GPtrArray *
list_programs (void)
{
  static const char *const areas[]
      = { "io", "memory", "misc", "processes", "races", "signals", "threads", "time", "bench" };
  GPtrArray *programs = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < G_N_ELEMENTS (areas); i++)
    list_area (programs, areas[i]);
  g_ptr_array_sort (programs, compare_names);
  return programs;
}

/* The recorder chooses its CPU from those that this process had, as the
   replay does; it may have pinned itself before.  */
static void
unpin (gpointer unused)
{
  (void) unused;
  sched_setaffinity (0, sizeof (cpu_set_t), cpu_allowed ());
}

/* Record PROGRAM to DIR; the program may end in any way.  */
static void
record (const char *program, const char *dir)
{
  g_autofree char *retro = get_path ("RETRO", "retro");
  const char *argv[]
      = { "timeout", RECORD_SECONDS, retro, "record", "-o", dir, "--seed", "1", "--", program, NULL };
  g_autofree char *where = g_path_get_dirname (dir);
  g_autoptr (GError) error = NULL;

  g_spawn_sync (where, (char **) argv, NULL,
                G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, unpin, NULL, NULL, NULL,
                NULL, &error);
  g_assert_no_error (error);
}

/* ---- Running on ---- */

typedef enum
{
  BY_STEPS,
  COUNTED,
  UNCOUNTED
} How;

/* Run REPLAY on for at most MAX ticks in its stretch, which may end at
   EVENT's point.  */
static void
run_on (Replay *replay, const Event *event, How how, TickCount max, TicksResult *result)
{
  TicksRequest request = { .max_ticks = max,
                           .max_usec = how == BY_STEPS ? STEPS_USEC : 0,
                           .uncounted = how == UNCOUNTED,
                           .space = replay_space (replay) };
  g_autoptr (GError) error = NULL;
  gboolean ok;

  if (event->kind == EV_POINT && event->point->arrivals == 0)
    request.point = event->point;
  ok = replay_select (replay, &error) && replay_settle (replay, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  if (how == BY_STEPS)
    ok = ticks_step_run (replay_task (replay), &request, result, &error);
  else
    ok = ticks_run (replay_ticks (replay, NULL), replay_task (replay), &request, result, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  replay_moved (replay);
}

/* Say where the memories of A and B differ.  */
static void
show_difference (Replay *a, Replay *b)
{
  const Space *space = replay_space (a);
  guint64 x[512], y[512];

  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *map = &g_array_index (space->maps, Mapping, i);

      for (Addr page = map->start; page < map->end; page += sizeof x)
        {
          if (task_read_some (replay_task (a), page, x, sizeof x) != sizeof x
              || task_read_some (replay_task (b), page, y, sizeof y) != sizeof y)
            continue;
          for (gsize k = 0; k < G_N_ELEMENTS (x); k++)
            if (x[k] != y[k])
              g_test_message ("0x%" G_GINT64_MODIFIER "x: %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x",
                              page + 8 * k, x[k], y[k]);
        }
    }
}

static void
assert_same (Replay *a, Replay *b)
{
  g_autoptr (GError) error = NULL;
  guint64 x = 0, y = 0;
  Regs regs_a = { 0 }, regs_b = { 0 };

  g_assert_true (task_get_regs (replay_task (a), &regs_a, NULL));
  g_assert_true (task_get_regs (replay_task (b), &regs_b, NULL));
  g_assert_cmphex (regs_a.rip, ==, regs_b.rip);
  g_assert_cmphex (regs_a.rsp, ==, regs_b.rsp);
  g_assert_true (replay_digest (a, &x, &error) && replay_digest (b, &y, &error));
  g_assert_no_error (error);
  if (x != y)
    show_difference (a, b);
  g_assert_cmphex (x, ==, y);
}

static void
assert_same_result (const TicksResult *a, const TicksResult *b)
{
  g_assert_cmpint (a->stop, ==, b->stop);
  g_assert_cmpuint (a->ticks, ==, b->ticks);
  if (a->stop == TICKS_STOP_FAULT)
    g_assert_cmpint (a->siginfo.si_signo, ==, b->siginfo.si_signo);
}

static Replay *
copy (Replay *replay)
{
  g_autoptr (GError) error = NULL;
  Replay *made = replay_copy (replay, &error);

  g_assert_no_error (error);
  return made;
}

/* From START ticks behind where REPLAY is, some ticks both ways.  */
static void
compare_window (Replay *replay, const Event *event, TickCount start)
{
  g_autoptr (Replay) stepped = copy (replay);
  TicksResult a, b;

  if (start != 0)
    {
      run_on (stepped, event, COUNTED, start, &a);
      g_assert_cmpint (a.stop, ==, TICKS_STOP_TICKS);
      g_assert_cmpuint (a.ticks, ==, start);
      sums.inside++;
    }
  g_autoptr (Replay) translated = copy (stepped);
  TickCount ticks = (TickCount) g_test_rand_int_range (1, WINDOW_TICKS);
  run_on (stepped, event, BY_STEPS, ticks, &a);
  if (a.stop == TICKS_STOP_INTERRUPT)
    {
      sums.given_up++;
      return;
    }
  run_on (translated, event, COUNTED, ticks, &b);
  assert_same_result (&a, &b);
  assert_same (stepped, translated);
  sums.windows++;
  sums.ticks += a.ticks;
}

/* REPLAY is behind an event, EVENT comes next.  */
static void
compare_stretch (Replay *replay, const Event *event)
{
  g_autoptr (Replay) counted = copy (replay);
  g_autoptr (Replay) uncounted = copy (replay);
  TicksResult result, other;

  compare_window (replay, event, 0);
  run_on (counted, event, COUNTED, STRETCH_TICKS, &result);
  if (result.ticks > 1)
    compare_window (replay, event, 1 + (TickCount) (g_test_rand_double () * (double) (result.ticks - 1)));
  if (result.stop == TICKS_STOP_TICKS)
    return;
  run_on (uncounted, event, UNCOUNTED, 0, &other);
  g_assert_cmpint (result.stop, ==, other.stop);
  assert_same (counted, uncounted);
  sums.stretches++;
}

/* ---- Programs ---- */

/* Does the replay stay inside the log's words?  Counted arrivals are others'
   concern.  */
static gboolean
is_wanted (const Event *event)
{
  return replay_event_runs (event) && !(event->kind == EV_POINT && event->point->arrivals != 0);
}

static void
compare_recording (Log *log)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Replay) replay = replay_new (log, 0, &error);
  guint64 length = log_length (log);

  g_assert_no_error (error);
  for (guint64 n = 0; n < STRETCHES; n++)
    {
      EventNo from = MAX (replay_event (replay), length * n / STRETCHES);
      EventNo target = from + (EventNo) (g_test_rand_double () * (double) (length / STRETCHES));
      const Event *event;

      if (target >= length)
        return;
      gboolean ok = replay_to (replay, target, &error);
      g_assert_no_error (error);
      g_assert_true (ok);
      event = replay_peek (replay, &error);
      g_assert_no_error (error);
      if (event != NULL && is_wanted (event))
        compare_stretch (replay, event);
    }
}

static void
compare_program (const char *program)
{
  g_autofree char *dir = g_dir_make_tmp ("retro-ticks-XXXXXX", NULL);
  g_autofree char *recording = g_build_filename (dir, "r", NULL);
  g_autofree char *remove = g_strdup_printf ("rm -rf '%s'", dir);
  g_autoptr (GError) error = NULL;

  g_test_message ("%s", program);
  record (program, recording);
  Log *log = log_open (recording, &error);
  g_assert_no_error (error);
  cpu_pin (log_header (log)->start_time); /* cpuid may tell  */
  if (log_length (log) > 2)
    {
      compare_recording (log);
      sums.programs++;
    }
  g_assert_true (log_close (log, NULL));
  g_assert_cmpint (system (remove), ==, 0);
}

static void
test_programs (void)
{
  g_autoptr (GPtrArray) programs = list_programs ();
  gint64 until = g_get_monotonic_time () + BUDGET_USEC * (g_getenv ("RETRO_TEST_LONG") != NULL ? 10 : 1);
  const char *only = g_getenv ("RETRO_TEST_ONLY");

  g_assert_cmpuint (programs->len, >, 100);
  for (guint left = programs->len; left > 0 && g_get_monotonic_time () < until; left--)
    {
      gint32 chosen = g_test_rand_int_range (0, (gint32) left);

      if (only == NULL || g_str_has_suffix (programs->pdata[chosen], only))
        compare_program (programs->pdata[chosen]);
      g_ptr_array_remove_index_fast (programs, (guint) chosen);
    }
  g_test_message ("%u programs: %u windows of %" G_GUINT64_FORMAT " ticks stepped, %u of them inside a stretch; "
                  "%u stretches without counting; %u windows given up",
                  sums.programs, sums.windows, sums.ticks, sums.inside, sums.stretches, sums.given_up);
  g_assert_cmpuint (sums.windows, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  cpu_allowed ();
  g_test_add_func ("/ticks/programs", test_programs);
  return g_test_run ();
}
