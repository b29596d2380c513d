/* undo, redo, info history: the commands that moved time.

   Each is noted with the moments before and after it.  GDB tells of
   movements (about to be resumed, stopped); which command it was we know
   because the moving commands are wrapped.  Commands run others (reverse-
   next runs next): the outermost one counts.  A search moves often but is
   one step, so here_seek and watch.c note theirs themselves.

     steps:   run | next | continue | reverse-next
                                 ^ done: what is behind it can be redone  */

#include "here.h"
#include "undo.h"
#include "bridge.h"

#include <string.h>

typedef struct
{
  char *command;
  Here before, after;
  char *place;
} Step;

static GPtrArray *steps;
static guint done; /* steps not undone  */

/* The step that is being made.  */
static char *pending;
static gboolean pending_known; /* pending_before is set  */
static Here pending_before;
static guint depth; /* of wrapped commands  */
static guint held;

static void
step_free (gpointer data)
{
  Step *step = data;

  g_free (step->command);
  g_free (step->place);
  g_free (step);
}

static void
forget_pending (void)
{
  g_clear_pointer (&pending, g_free);
  pending_known = FALSE;
}

static void
note_before (void)
{
  if (!pending_known && !held)
    pending_known = bridge_is_remote () && bridge_has_process () && here_ask (&pending_before, NULL);
}

void
undo_begin (const char *command)
{
  if (depth > 0 || held)
    return;
  forget_pending ();
  pending = g_strdup (command);
  note_before ();
}

void
undo_hold (void)
{
  held++;
}

void
undo_release (void)
{
  held--;
}

void
undo_moved (void)
{
  Step *step;
  Here here;

  if (held || !pending_known || !here_ask (&here, NULL))
    return;
  if (moment_compare (&here.now, &pending_before.now) != 0)
    {
      g_ptr_array_set_size (steps, (int) done);
      step = g_new0 (Step, 1);
      step->command = pending != NULL ? g_steal_pointer (&pending) : g_strdup ("(moved)");
      step->before = pending_before;
      step->after = here;
      step->place = bridge_describe_pc (here.now.pc);
      g_ptr_array_add (steps, step);
      done = steps->len;
    }
  forget_pending ();
}

/* ---- What GDB tells ---- */

static void
gone (void)
{
  g_ptr_array_set_size (steps, 0);
  done = 0;
  pending_known = FALSE;
}

static void
prompt (void)
{
  if (depth == 0 && !held)
    forget_pending ();
}

static const BridgeObserver observer = { note_before, undo_moved, gone, prompt };

static gboolean
before_move (const char *name, const char *args, gboolean from_tty, GError **error)
{
  g_autofree char *command = g_strconcat (name, *args != '\0' ? " " : "", args, NULL);

  (void) from_tty;
  (void) error;
  undo_begin (command);
  depth++;
  return TRUE;
}

static void
after_move (const char *name)
{
  (void) name;
  depth--;
}

static const char *const movers[]
  = { "advance", "continue",      "finish",       "jump",          "next",           "nexti",       "signal",
      "step",    "stepi",         "until",        "reverse-next",  "reverse-nexti",  "reverse-step", "reverse-stepi",
      "return",  "reverse-finish", "reverse-continue" };
static BridgeWrap wraps[G_N_ELEMENTS (movers)];

/* ---- Commands ---- */

/* "" or a positive number.  */
static gboolean
parse_count (const char *args, guint *count_ret, GError **error)
{
  char *end;
  guint64 count;

  *count_ret = 1;
  if (*args == '\0')
    return TRUE;
  count = g_ascii_strtoull (args, &end, 10);
  if (*end != '\0' || !g_ascii_isdigit (*args) || count == 0 || count > G_MAXINT)
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "A positive number of commands is expected.");
  *count_ret = (guint) count;
  return TRUE;
}

static gboolean
go_to (const Here *here, GError **error)
{
  g_autofree char *moment = moment_format (&here->now);
  g_autofree char *where = g_strconcat ("position:", moment, NULL);

  return here_seek (where, NULL, error);
}

static gboolean
refuse (guint count, const char *what, GError **error)
{
  if (count == 0)
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "There is no command to %s.", what);
  return bridge_fail (error, BRIDGE_ERROR_FAILED, "Only %u command%s can be %sne.", count, count == 1 ? "" : "s",
                      what);
}

static gboolean
run_undo (const char *args, gboolean from_tty, GError **error)
{
  guint count;

  (void) from_tty;
  if (!here_check_recording (error) || !parse_count (args, &count, error))
    return FALSE;
  if (count > done)
    return refuse (done, "undo", error);
  if (!go_to (&((Step *) steps->pdata[done - count])->before, error))
    return FALSE;
  done -= count;
  return TRUE;
}

static gboolean
run_redo (const char *args, gboolean from_tty, GError **error)
{
  guint count;

  (void) from_tty;
  if (!here_check_recording (error) || !parse_count (args, &count, error))
    return FALSE;
  if (count > steps->len - done)
    return refuse (steps->len - done, "redo", error);
  if (!go_to (&((Step *) steps->pdata[done + count - 1])->after, error))
    return FALSE;
  done += count;
  return TRUE;
}

static gboolean
run_info_history (const char *args, gboolean from_tty, GError **error)
{
  (void) args;
  (void) from_tty;
  if (!here_check_recording (error))
    return FALSE;
  if (steps->len == 0)
    {
      bridge_print ("No command has moved in time yet.\n");
      return TRUE;
    }
  bridge_print ("  Num  Event      Time        Command, and where it led\n");
  for (guint i = 0; i < steps->len; i++)
    {
      const Step *step = steps->pdata[i];

      bridge_print ("%c %-4u %-10" G_GUINT64_FORMAT " %-11.6f %s\n", i + 1 == done ? '*' : i < done ? ' ' : '-', i + 1,
                    step->after.now.event, step->after.seconds, step->command);
      bridge_print ("                                to 0x%" G_GINT64_MODIFIER "x in %s\n", step->after.now.pc,
                    step->place);
    }
  if (done < steps->len)
    bridge_print ("(Those marked \"-\" have been undone; \"redo\" brings them back.)\n");
  return TRUE;
}

static const BridgeCommand commands[] = {
  { "", "undo", run_undo, NULL, NULL, FALSE,
    "Go back to where the program was before the last command that moved it.\n"
    "Usage: undo [N]\n"
    "Argument N means undo the last N commands.\n"
    "\n"
    "Any movement in time can be undone, exactly and at once: continue and step,\n"
    "the reverse execution commands, \"restart\", \"seek\" and \"reverse-watch\".\n"
    "The program must be recorded by Retro.  See also \"redo\" and \"info history\"." },
  { "", "redo", run_redo, NULL, NULL, FALSE,
    "Go again where a command led that was undone.\n"
    "Usage: redo [N]\n"
    "Argument N means redo N commands.\n"
    "\n"
    "A new command that moves the program ends what can be redone.  The program must\n"
    "be recorded by Retro." },
  { "info", "history", run_info_history, NULL, NULL, FALSE,
    "List the commands that moved the program in time, as Retro recorded it.\n"
    "Usage: info history\n"
    "\n"
    "Each is shown with where it led: the number of events until there, the\n"
    "execution time and the place.  The current one is marked with \"*\"; those\n"
    "that were undone with \"-\"." },
};

void
undo_start (void)
{
  steps = g_ptr_array_new_with_free_func (step_free);
  bridge_observe (&observer);
  for (guint i = 0; i < G_N_ELEMENTS (movers); i++)
    {
      wraps[i] = (BridgeWrap){ "", movers[i], before_move, after_move };
      bridge_wrap_command (&wraps[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    bridge_add_command (&commands[i]);
}
