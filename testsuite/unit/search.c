/* The searches against brute force.

   testsuite/search/generate makes programs that change memory in many ways;
   each is recorded, and its recording is run through once by single steps
   from main on, looking at some expressions after every instruction and
   every event.  That knows all flips.  A search from the end must find one of
   them, the search for the last one exactly that, with its instruction,
   thread and event, and with few probes.

   SEED in the environment chooses one program; RETRO_TEST_LONG makes it more.

     search --oracle SEED DIR

   makes program and recording in DIR and prints what brute force knows, for
   the test of the debugger's command: for each expression a line

     EXPRESSION TAB SAME TAB EVENT,PC,TID,BY-EVENT ...

   SAME: 1 if it is at main as it is at the end; then each flip, in order.  */

#include "base/error.h"
#include "timeline/private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS 6
#define BYTES 256
#define EXPRESSIONS 14

/* The program's global g.  */
typedef struct
{
  gint64 v[WORDS];
  gint8 buf[BYTES];
} Globals;

/* ---- Expressions ---- */

typedef enum
{
  OP_VALUE, /* flips when it gets the value of the end  */
  OP_EQUAL, /* the others: when they become as true as in the end  */
  OP_LESS,
  OP_GREATER
} Op;

typedef struct
{
  gboolean byte;
  guint index, other; /* g.v[index] + g.v[other] unless they are equal  */
  Op op;
  gint64 limit;
  char *text;
  gint64 now;          /* at the end  */
  gboolean begins_bad; /* so it is at main  */
  GArray *flips; /* of Flip  */
} Expr;

typedef struct
{
  Position before; /* the flip comes next  */
  EventNo event;
  ThreadNo thread;
  pid_t tid;
  gboolean by_event;
} Flip;

static gint64
evaluate (const Expr *expr, const Globals *g)
{
  gint64 value = expr->byte                    ? g->buf[expr->index]
                 : expr->index == expr->other ? g->v[expr->index]
                                              : g->v[expr->index] + g->v[expr->other];

  switch (expr->op)
    {
    case OP_EQUAL:
      return value == expr->limit;
    case OP_LESS:
      return value < expr->limit;
    case OP_GREATER:
      return value > expr->limit;
    default:
      return value;
    }
}

/* G is as at the end.  */
static void
make_expr (Expr *expr, GRand *rand, const Globals *g)
{
  static const char *const ops[] = { "", " == ", " < ", " > " };
  g_autofree char *limit = NULL;
  g_autofree char *other = NULL;

  memset (expr, 0, sizeof *expr);
  expr->byte = g_rand_int_range (rand, 0, 4) == 0;
  expr->index = (guint) g_rand_int_range (rand, 0, expr->byte ? 40 : WORDS);
  expr->other = !expr->byte && g_rand_int_range (rand, 0, 4) == 0 ? (guint) g_rand_int_range (rand, 0, WORDS) : expr->index;
  expr->op = OP_VALUE;
  expr->limit = g_rand_boolean (rand) ? evaluate (expr, g) + g_rand_int_range (rand, -2, 3)
                                       : g_rand_int_range (rand, -3, 40);
  expr->op = (Op) g_rand_int_range (rand, OP_VALUE, OP_GREATER + 1);
  other = expr->other != expr->index ? g_strdup_printf (" + g.v[%u]", expr->other) : g_strdup ("");
  limit = expr->op != OP_VALUE ? g_strdup_printf ("%s%" G_GINT64_FORMAT, ops[expr->op], expr->limit) : g_strdup ("");
  expr->text = g_strdup_printf ("g.%s[%u]%s%s", expr->byte ? "buf" : "v", expr->index, other, limit);
  expr->now = evaluate (expr, g);
  expr->flips = g_array_new (FALSE, FALSE, sizeof (Flip));
}

static void
expr_clear (Expr *expr)
{
  g_free (expr->text);
  g_array_unref (expr->flips);
}

/* ---- A program and its recording ---- */

typedef struct
{
  Session *session;
  Addr g, main;
  Position start; /* at main  */
  TickCount longest; /* stretch  */
  Expr exprs[EXPRESSIONS];
} Case;

static void
run (const char *format, ...)
{
  g_autofree char *command = NULL;
  g_autoptr (GError) error = NULL;
  const char *argv[] = { "/bin/sh", "-c", NULL, NULL };
  int status;
  va_list args;

  va_start (args, format);
  command = g_strdup_vprintf (format, args);
  va_end (args);
  argv[2] = command;
  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, &error)
      || !g_spawn_check_wait_status (status, &error))
    g_error ("%s: %s", command, error->message);
}

static Addr
find_symbol (const char *dir, const char *name)
{
  g_autofree char *command = g_strdup_printf ("nm '%s/prog'", dir);
  g_autofree char *output = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_spawn_command_line_sync (command, &output, NULL, NULL, NULL));
  lines = g_strsplit (output, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (strlen (*line) > 19 && g_str_equal (*line + 19, name))
      return g_ascii_strtoull (*line, NULL, 16);
  g_error ("no symbol %s in %s", name, dir);
}

static void
build (guint seed, const char *dir)
{
  const char *source = g_getenv ("SRCDIR"), *retro = g_getenv ("RETRO");

  run ("cd '%s/testsuite/search' && ./generate %u >'%s/prog.c'", source != NULL ? source : ".", seed, dir);
  run ("cd '%s' && gcc -g0 -O1 -shared -fPIC -DLIBRARY -o libsearch.so prog.c && "
       "gcc -g -O%u -no-pie -pthread -o prog prog.c -L. -lsearch -Wl,-rpath,'%s'", dir, seed / 2 % 2, dir);
  run ("'%s' record --seed=%u --slice=0.04 -o '%s/rec' -- '%s/prog'", retro != NULL ? retro : "./retro", seed, dir, dir);
}

static void
look (Case *c, Session *session, Globals *g)
{
  g_assert_cmpuint (session_read (session, c->g, g, sizeof *g), ==, sizeof *g);
}

/* From the beginning to main, by a breakpoint.  */
static void
go_to_main (Case *c)
{
  const SessionRequest request = { .how = SESSION_CONTINUE, .thread = NO_THREAD };
  GError *error = NULL;
  Position begin;
  Stop stop;

  session_begin (c->session, &begin);
  session_seek (c->session, &begin, &error);
  session_insert (c->session, SESSION_BREAK, c->main, 1, NULL, NULL, NULL, &error);
  session_resume (c->session, &request, &stop, &error);
  g_assert_no_error (error);
  g_assert_cmpint (stop.kind, ==, STOP_BREAK);
  session_remove (c->session, SESSION_BREAK, c->main, 1, &error);
  session_position (c->session, &c->start);
}

static void
note_flips (Case *c, Globals *g, gboolean *bad, const Flip *flip)
{
  for (guint i = 0; i < EXPRESSIONS; i++)
    {
      gboolean now = evaluate (&c->exprs[i], g) == c->exprs[i].now;

      if (flip == NULL)
        c->exprs[i].begins_bad = now;
      else if (now && !bad[i])
        g_array_append_val (c->exprs[i].flips, *flip);
      bad[i] = now;
    }
}

static pid_t
thread_id (const Place *place, ThreadNo thread)
{
  const GPtrArray *threads = replay_threads (place->replay);

  return thread < threads->len ? ((const ReplayThread *) threads->pdata[thread])->tid : 0;
}

/* By single steps, to the end.  */
static void
scan (Case *c)
{
  const TicksRequest none = { .max_ticks = G_MAXUINT64 };
  GError *error = NULL;
  Place *place = seek_place (c->session, &c->start, FALSE, &error);
  const Task *task;
  gboolean bad[EXPRESSIONS] = { FALSE };
  EventNo end;
  Position last;
  Globals g;

  g_assert_no_error (error);
  session_end (c->session, &last);
  end = last.event;
  task = replay_task (place->replay);
  task_read_some (task, c->g, &g, sizeof g);
  note_flips (c, &g, bad, NULL);
  while (replay_event (place->replay) < end)
    {
      const Event *event = replay_peek (place->replay, &error);
      gboolean due = !replay_event_runs (event);
      Flip flip = { .event = replay_event (place->replay), .thread = event->thread };
      TicksResult result;

      place_position (place, &flip.before, &error);
      g_assert_no_error (error);
      if (!due)
        place_step (place, &none, &result, &due, &error);
      if (due)
        {
          flip.by_event = TRUE;
          place_position (place, &flip.before, &error);
          place_apply (place, &error);
        }
      g_assert_no_error (error);
      c->longest = MAX (c->longest, place->ticks);
      task = replay_task (place->replay);
      task_read_some (task, c->g, &g, sizeof g);
      flip.tid = thread_id (place, flip.thread);
      note_flips (c, &g, bad, &flip);
    }
  place_free (place);
}

static void
case_init (Case *c, guint seed, const char *dir)
{
  g_autofree char *recording = g_build_filename (dir, "rec", NULL);
  GRand *rand = g_rand_new_with_seed (seed);
  GError *error = NULL;
  Globals g;

  memset (c, 0, sizeof *c);
  build (seed, dir);
  c->session = session_open (recording, TRUE, NULL, &error);
  g_assert_no_error (error);
  c->g = find_symbol (dir, "g");
  c->main = find_symbol (dir, "main");
  look (c, c->session, &g);
  for (guint i = 0; i < EXPRESSIONS; i++)
    make_expr (&c->exprs[i], rand, &g);
  g_rand_free (rand);
  go_to_main (c);
  scan (c);
}

static void
case_clear (Case *c)
{
  for (guint i = 0; i < EXPRESSIONS; i++)
    expr_clear (&c->exprs[i]);
  session_free (c->session);
}

/* ---- The test ---- */

typedef struct
{
  Case *c;
  Expr *expr;
} Probe;

static gboolean
probe (Session *session, gboolean *bad_ret, gpointer user, GError **error G_GNUC_UNUSED)
{
  const Probe *p = user;
  Globals g;

  /* Before the program was mapped there is nothing.  */
  *bad_ret = session_read (session, p->c->g, &g, sizeof g) == sizeof g && evaluate (p->expr, &g) == p->expr->now;
  return TRUE;
}

static void
add_words (GArray *words, Addr addr, gsize length)
{
  for (Addr word = addr & ~7ul; word < addr + length; word += 8)
    g_array_append_val (words, word);
}

static gboolean
probe_words (Session *session, gboolean *bad_ret, GArray *words, gpointer user, GError **error)
{
  const Probe *p = user;
  const Expr *expr = p->expr;

  if (expr->byte)
    add_words (words, p->c->g + G_STRUCT_OFFSET (Globals, buf) + expr->index, 1);
  else
    {
      add_words (words, p->c->g + 8 * expr->index, 8);
      if (expr->other != expr->index)
        add_words (words, p->c->g + 8 * expr->other, 8);
    }
  return probe (session, bad_ret, user, error);
}

static char *
show (const Flip *flip)
{
  return g_strdup_printf ("event %" G_GUINT64_FORMAT "%s, ticks %" G_GUINT64_FORMAT ", pc 0x%" G_GINT64_MODIFIER
                          "x, reps 0x%" G_GINT64_MODIFIER "x, thread %u", flip->event, flip->by_event ? " itself" : "",
                          flip->before.ticks, flip->before.pc, flip->before.reps, flip->thread);
}

static gboolean
is_found (const Flip *flip, const SearchResult *result, const Position *now, gboolean last)
{
  Position before = flip->before, here = *now;

  /* The last one is found by watching, which leads in front of the whole of
     a rep instruction.  */
  if (last)
    before.reps = here.reps = 0;
  return position_compare (&before, &here) == 0 && flip->by_event == result->by_event && flip->event == result->event
         && flip->thread == result->thread && (flip->by_event || flip->before.pc == result->pc);
}

static void
check (Case *c, Expr *expr, const SearchResult *result, gboolean last)
{
  Flip got = { .event = result->event, .thread = result->thread, .by_event = result->by_event };
  gboolean found = FALSE;

  session_position (c->session, &got.before);
  for (guint i = last ? expr->flips->len - 1 : 0; i < expr->flips->len && !found; i++)
    found = is_found (&g_array_index (expr->flips, Flip, i), result, &got.before, last);
  if (!found)
    {
      g_autofree char *text = show (&got);
      g_autofree char *want = show (&g_array_index (expr->flips, Flip, expr->flips->len - 1));

      g_error ("%s: %s found at %s, pc 0x%" G_GINT64_MODIFIER "x; the last of %u is at %s", expr->text,
               last ? "the last flip" : "a flip", text, result->pc, expr->flips->len, want);
    }
}

static void
check_probes (Case *c, Expr *expr, const SearchResult *result, guint snapshots)
{
  Position end;
  guint most;

  session_end (c->session, &end);
  most = g_bit_storage (snapshots) + g_bit_storage (end.event) + g_bit_storage (c->longest) + 10;
  if (result->probes > most)
    g_error ("%s: %u probes, not at most %u", expr->text, result->probes, most);
}

static void
test_expr (Case *c, Expr *expr, gboolean whole)
{
  const Position *from = whole ? NULL : &c->start;
  Probe p = { c, expr };
  g_autoptr (GError) error = NULL;
  SearchResult result;
  Position end, now;
  guint snapshots;
  guint64 bytes;
  gboolean good;

  session_end (c->session, &end);
  session_seek (c->session, &end, &error);
  g_assert_no_error (error);
  session_snapshot_stats (c->session, &snapshots, &bytes);
  good = session_search (c->session, from, probe, &p, NULL, NULL, &result, &error);
  if (good && expr->flips->len > 0)
    {
      check (c, expr, &result, FALSE);
      check_probes (c, expr, &result, snapshots);
    }
  else if (!whole && good)
    g_error ("%s: found what brute force did not", expr->text);
  else if (!good)
    {
      /* It was so at the start; it may have changed all the same.  */
      g_assert_error (error, RETRO_ERROR, RETRO_ERROR_USAGE);
      session_position (c->session, &now);
      g_assert_cmpint (position_compare (&now, &end), ==, 0);
    }
  g_clear_error (&error);
  session_seek (c->session, &end, &error);
  g_assert_no_error (error);
  good = session_search_last (c->session, from, probe_words, &p, NULL, NULL, &result, &error);
  if (expr->flips->len > 0)
    {
      g_assert_no_error (error);
      check (c, expr, &result, TRUE);
    }
  else if (!whole)
    {
      g_assert_error (error, RETRO_ERROR, RETRO_ERROR_USAGE);
      session_position (c->session, &now);
      g_assert_cmpint (position_compare (&now, &end), ==, 0);
    }
}

static void
test_program (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data), flips = 0, none = 0;
  g_autoptr (GError) error = NULL;
  g_autofree char *dir = g_dir_make_tmp ("search-XXXXXX", &error);
  Case c;

  g_assert_no_error (error);
  case_init (&c, seed, dir);
  for (guint i = 0; i < EXPRESSIONS; i++)
    {
      test_expr (&c, &c.exprs[i], i % 2 == 0);
      flips += c.exprs[i].flips->len;
      none += c.exprs[i].flips->len == 0;
    }
  g_test_message ("seed %u: %u flips of %u expressions, %u never flip", seed, flips, EXPRESSIONS, none);
  case_clear (&c);
  run ("rm -rf '%s'", dir);
}

/* ---- A probe that talks ---- */

typedef struct
{
  Probe probe;
  int fds[2];
} Talk;

static gboolean
not_meant (gpointer user G_GNUC_UNUSED)
{
  return FALSE;
}

/* As a client that is asked for an expression: what it answers is readable
   for a while, so it is taken for a possible interrupt.  */
static gboolean
probe_talking (Session *session, gboolean *bad_ret, gpointer user, GError **error)
{
  const Talk *talk = user;
  char byte = 0;

  g_assert_cmpint (write (talk->fds[1], &byte, 1), ==, 1);
  while (!interrupt_is_due ())
    continue;
  g_assert_cmpint (read (talk->fds[0], &byte, 1), ==, 1);
  return probe (session, bad_ret, (gpointer) &talk->probe, error);
}

static void
test_talking (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *dir = g_dir_make_tmp ("search-XXXXXX", &error);
  SearchResult result;
  Position end;
  Talk talk;
  guint i = 0;
  Case c;

  g_assert_no_error (error);
  case_init (&c, 1, dir);
  while (i < EXPRESSIONS && c.exprs[i].flips->len == 0)
    i++;
  g_assert_cmpuint (i, <, EXPRESSIONS);
  talk.probe = (Probe) { &c, &c.exprs[i] };
  g_assert_cmpint (pipe (talk.fds), ==, 0);
  session_set_interrupt (c.session, talk.fds[0], not_meant, NULL);
  session_end (c.session, &end);
  session_seek (c.session, &end, &error);
  g_assert_no_error (error);
  session_search (c.session, &c.start, probe_talking, &talk, NULL, NULL, &result, &error);
  g_assert_no_error (error);
  check (&c, &c.exprs[i], &result, FALSE);
  session_set_interrupt (c.session, -1, NULL, NULL);
  close (talk.fds[0]);
  close (talk.fds[1]);
  case_clear (&c);
  run ("rm -rf '%s'", dir);
}

/* ---- What brute force knows, for others ---- */

static int
print_oracle (guint seed, const char *dir)
{
  Case c;

  case_init (&c, seed, dir);
  for (guint i = 0; i < EXPRESSIONS; i++)
    {
      const Expr *expr = &c.exprs[i];

      printf ("%s\t%d\t", expr->text, expr->begins_bad);
      for (guint f = 0; f < expr->flips->len; f++)
        {
          const Flip *flip = &g_array_index (expr->flips, Flip, f);

          printf ("%s%" G_GUINT64_FORMAT ",0x%" G_GINT64_MODIFIER "x,%d,%d", f > 0 ? " " : "", flip->event,
                  flip->before.pc, (int) flip->tid, flip->by_event);
        }
      putchar (10);
    }
  case_clear (&c);
  return 0;
}

int
main (int argc, char **argv)
{
  const char *seed = g_getenv ("SEED");
  guint n = g_getenv ("RETRO_TEST_LONG") != NULL ? 60 : 10;

  if (argc == 4 && g_str_equal (argv[1], "--oracle"))
    return print_oracle ((guint) atoi (argv[2]), argv[3]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/search/talking-probe", test_talking);
  for (guint i = 1; i <= n; i++)
    {
      guint number = seed != NULL ? (guint) atoi (seed) : i;
      g_autofree char *name = g_strdup_printf ("/search/%u", number);

      g_test_add_data_func (name, GUINT_TO_POINTER (number), test_program);
      if (seed != NULL)
        break;
    }
  return g_test_run ();
}
