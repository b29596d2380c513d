/* A random walk through time.

   A position must be the same state however it was reached.  Programs of
   the other tests are run under a session; then the walk seeks, steps,
   continues to random addresses, forward and backward, drops snapshots,
   and at each place compares a digest of all registers and memory with
   the one of the first visit.  In the end positions visited are compared
   with a straight replay that knows no snapshots.

   SEED in the environment repeats a walk; MOVES makes it longer.  */

#include "base/error.h"
#include "timeline/session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  const char *name;
  guint moves;
} Program;

static const Program programs[] = {
  { "misc/hello", 150 },         { "threads/mutex", 150 },  { "threads/producer-consumer", 150 },
  { "signals/handler", 100 },     { "memory/mremap", 100 },  { "misc/setjmp", 100 },
  { "processes/exec-self", 100 }, { "threads/spinlock", 100 }, { "memory/jit", 60 },
};

typedef struct
{
  Position position;
  guint64 digest;
} Visit;

typedef struct
{
  Session *session;
  GRand *rand;
  GArray *visits; /* of Visit, sorted  */
  GArray *pcs;    /* of Addr: seen so far  */
  guint moves;
  const char *last; /* the kind of the last move  */
} Walk;

static char *
show (const Position *position)
{
  return g_strdup_printf ("event %" G_GUINT64_FORMAT ", ticks %" G_GUINT64_FORMAT ", insn 0x%" G_GINT64_MODIFIER "x, reps "
                          "0x%" G_GINT64_MODIFIER "x, pc 0x%" G_GINT64_MODIFIER "x",
                          position->event, position->ticks, position->insn, position->reps, position->pc);
}

/* Index of the first visit not before POSITION.  */
static guint
find_visit (Walk *walk, const Position *position)
{
  guint low = 0, high = walk->visits->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (position_compare (&g_array_index (walk->visits, Visit, middle).position, position) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Compare with the first visit to here.  */
static void
check_here (Walk *walk)
{
  Visit now;
  GError *error = NULL;
  guint at;

  session_position (walk->session, &now.position);
  session_digest (walk->session, &now.digest, &error);
  g_assert_no_error (error);
  at = find_visit (walk, &now.position);
  if (at < walk->visits->len)
    {
      const Visit *before = &g_array_index (walk->visits, Visit, at);

      if (position_compare (&before->position, &now.position) == 0)
        {
          if (before->digest != now.digest)
            {
              g_autofree char *text = show (&now.position);

              g_error ("another state at %s (by %s)", text, walk->last);
            }
          return;
        }
    }
  g_array_insert_val (walk->visits, at, now);
  g_array_append_val (walk->pcs, now.position.pc);
}

static void
resume (Walk *walk, const SessionRequest *request, Stop *stop)
{
  GError *error = NULL;

  session_resume (walk->session, request, stop, &error);
  if (error != NULL)
    {
      Position now;

      session_position (walk->session, &now);
      g_autofree char *text = show (&now);

      g_error ("%s at %s: %s", walk->last, text, error->message);
    }
}

static void
move_seek (Walk *walk)
{
  Position begin, end, target;
  GError *error = NULL;

  walk->last = "seek";
  session_begin (walk->session, &begin);
  session_end (walk->session, &end);
  if (g_rand_boolean (walk->rand) && walk->visits->len > 0)
    target = g_array_index (walk->visits, Visit, g_rand_int_range (walk->rand, 0, (gint32) walk->visits->len)).position;
  else
    target = (Position){ .event = begin.event
                                  + (EventNo) (g_rand_double (walk->rand) * (double) (end.event - begin.event + 1)) };
  session_seek (walk->session, &target, &error);
  if (error != NULL)
    {
      g_autofree char *text = show (&target);

      g_error ("seek to %s: %s", text, error->message);
    }
}

/* Some steps one way, and as many back: the same place again.  */
static void
move_steps (Walk *walk)
{
  SessionRequest request = { .how = SESSION_STEP, .thread = session_current_thread (walk->session) };
  gint n = g_rand_int_range (walk->rand, 1, 8);
  Stop stop = { .kind = STOP_STEP };

  walk->last = "steps forward";
  for (gint i = 0; i < n && stop.kind == STOP_STEP; i++)
    {
      resume (walk, &request, &stop);
      check_here (walk);
    }
  walk->last = "steps backward";
  request.backward = TRUE;
  stop.kind = STOP_STEP;
  for (gint i = 0; i < n + 2 && stop.kind == STOP_STEP; i++)
    {
      resume (walk, &request, &stop);
      check_here (walk);
    }
}

/* Back one instruction and forward again, in one thread and one stretch,
   is where we were.  */
static void
move_round_trip (Walk *walk)
{
  SessionRequest request = { .how = SESSION_STEP, .thread = session_current_thread (walk->session), .backward = TRUE };
  Position before, middle, after;
  Stop stop;

  walk->last = "round trip";
  session_position (walk->session, &before);
  resume (walk, &request, &stop);
  session_position (walk->session, &middle);
  check_here (walk);
  if (stop.kind != STOP_STEP || middle.event != before.event)
    return;
  g_assert_cmpint (position_compare (&middle, &before), <, 0);
  request.backward = FALSE;
  resume (walk, &request, &stop);
  check_here (walk);
  session_position (walk->session, &after);
  /* A rep instruction is one step backward and several forward.  */
  if (middle.reps == 0 && position_compare (&after, &before) != 0)
    {
      g_autofree char *from = show (&before), *over = show (&middle), *to = show (&after);

      g_error ("round trip from %s over %s to %s", from, over, to);
    }
}

/* All hits of a random breakpoint: the same list both ways.  */
static void
move_hits (Walk *walk)
{
  SessionRequest request = { .how = SESSION_CONTINUE, .thread = NO_THREAD };
  Addr pc = g_array_index (walk->pcs, Addr, g_rand_int_range (walk->rand, 0, (gint32) walk->pcs->len));
  g_autoptr (GArray) hits = g_array_new (FALSE, FALSE, sizeof (Position));
  gint max = g_rand_int_range (walk->rand, 1, 12);
  GError *error = NULL;
  Stop stop;

  walk->last = "continue";
  session_insert (walk->session, SESSION_BREAK, pc, 1, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  for (gint i = 0; i < max; i++)
    {
      Position now;

      resume (walk, &request, &stop);
      check_here (walk);
      if (stop.kind != STOP_BREAK)
        break;
      session_position (walk->session, &now);
      g_assert_cmphex (now.pc, ==, pc);
      g_array_append_val (hits, now);
    }
  walk->last = "reverse-continue";
  request.backward = TRUE;
  for (guint i = hits->len; i-- > 0;)
    {
      const Position *hit = &g_array_index (hits, Position, i);
      Position now;

      session_position (walk->session, &now);
      /* Standing on the last one, the first way back leads to the one before.  */
      if (position_compare (&now, hit) <= 0)
        continue;
      if (g_rand_int_range (walk->rand, 0, 4) == 0)
        session_drop_snapshots (walk->session);
      resume (walk, &request, &stop);
      check_here (walk);
      session_position (walk->session, &now);
      if (stop.kind != STOP_BREAK || position_compare (&now, hit) != 0)
        {
          g_autofree char *want = show (hit), *got = show (&now);

          g_error ("hit %u of %u backward: stop %d at %s instead of %s", i, hits->len, stop.kind, got, want);
        }
    }
  session_remove (walk->session, SESSION_BREAK, pc, 1, &error);
  g_assert_no_error (error);
}

static void
move_drop (Walk *walk)
{
  session_drop_snapshots (walk->session);
}

static void
walk_on (Walk *walk, guint moves)
{
  static void (*const kinds[]) (Walk *) = { move_seek, move_seek, move_steps, move_round_trip, move_round_trip,
                                            move_hits, move_drop };

  for (guint i = 0; i < moves; i++)
    {
      kinds[g_rand_int_range (walk->rand, 0, G_N_ELEMENTS (kinds))](walk);
      check_here (walk);
    }
}

/* Some visits against a replay from the beginning.  */
static void
compare_straight (Walk *walk)
{
  g_autoptr (Replay) replay = NULL;
  GError *error = NULL;
  guint compared = 0;

  replay = replay_new (session_log (walk->session), 0, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < walk->visits->len; i++)
    {
      const Visit *visit = &g_array_index (walk->visits, Visit, i);
      guint64 digest;

      if (visit->position.insn != 0 || visit->position.event < replay_event (replay))
        continue;
      replay_to (replay, visit->position.event, &error);
      g_assert_no_error (error);
      replay_digest (replay, &digest, &error);
      g_assert_no_error (error);
      if (digest != visit->digest)
        g_error ("a straight replay has another state at event %" G_GUINT64_FORMAT, visit->position.event);
      compared++;
    }
  g_test_message ("%u places, %u compared with a straight replay", walk->visits->len, compared);
  g_assert_cmpuint (compared, >, 0);
}

/* Run the program to its end, live.  */
static void
run_to_end (Session *session)
{
  const SessionRequest request = { .how = SESSION_CONTINUE, .thread = NO_THREAD };
  GError *error = NULL;
  Stop stop;

  session_pass_signals (session, ~0ull);
  do
    {
      session_resume (session, &request, &stop, &error);
      g_assert_no_error (error);
    }
  while (stop.kind != STOP_EXITED && stop.kind != STOP_KILLED);
}

static void
test_program (gconstpointer data)
{
  const Program *program = data;
  const char *build = g_getenv ("BUILD"), *moves = g_getenv ("MOVES"), *seed = g_getenv ("SEED");
  g_autofree char *path = g_build_filename (build != NULL ? build : "build", "testsuite", program->name, NULL);
  char *argv[] = { path, NULL };
  guint32 number = seed != NULL ? (guint32) atoi (seed) : (guint32) g_test_rand_int ();
  Walk walk = { .rand = g_rand_new_with_seed (number) };
  SessionOptions options = { .snapshot_usec = (guint64) g_rand_int_range (walk.rand, 500, 100000) };
  GError *error = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
    g_error ("%s is not built", path);
  g_test_message ("seed %u", number);
  walk.session = session_run (argv, NULL, NULL, &options, &error);
  g_assert_no_error (error);
  walk.visits = g_array_new (FALSE, FALSE, sizeof (Visit));
  walk.pcs = g_array_new (FALSE, FALSE, sizeof (Addr));
  run_to_end (walk.session);
  check_here (&walk);
  walk_on (&walk, moves != NULL ? (guint) atoi (moves) : program->moves);
  compare_straight (&walk);
  session_free (walk.session);
  g_array_unref (walk.visits);
  g_array_unref (walk.pcs);
  g_rand_free (walk.rand);
}

int
main (int argc, char **argv)
{
  int quiet = open ("/dev/null", O_WRONLY);

  g_test_init (&argc, &argv, NULL);
  /* What the programs print is not TAP; our own goes where it went.  */
  int tap = dup (1);

  dup2 (quiet, 1);
  stdout = fdopen (tap, "w");
  setvbuf (stdout, NULL, _IOLBF, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *name = g_strdup_printf ("/walk/%s", programs[i].name);

      g_test_add_data_func (name, &programs[i], test_program);
    }
  return g_test_run ();
}
