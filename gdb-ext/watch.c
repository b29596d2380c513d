/* reverse-watch: the command.

   EXPR has a value now, the bad one; at the start of history it was
   different, or could not be evaluated, which is good.  Somewhere between
   it changed.  The search (search.c) finds such a place, we go to the
   statement that holds it (land.c), and tell what was found.

   From the first evaluation to the last one the user's breakpoints must not
   stop a function that EXPR calls, and one that crashes (data structures are
   half built at many moments) must be unwound.  */

#include "here.h"
#include "land.h"
#include "search.h"
#include "undo.h"
#include "watch.h"

#include <string.h>

Found watch_last;

/* ---- Arguments ---- */

typedef struct
{
  gboolean location, last;
  char *within;
  const char *expr;
} Options;

static void
options_clear (Options *options)
{
  g_clear_pointer (&options->within, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* If ARGS begins with the option NAME (or at least its first LEAST
   letters), skip it.  */
static gboolean
take_option (const char **args, const char *name, gsize least)
{
  gsize length = strcspn (*args, " \t");

  if (length < least || length > strlen (name) || strncmp (*args, name, length) != 0)
    return FALSE;
  *args += length;
  while (g_ascii_isspace (**args))
    (*args)++;
  return TRUE;
}

static gboolean
parse_options (const char *args, Options *options, GError **error)
{
  while (*args == '-')
    {
      if (take_option (&args, "-location", 2) && !options->location)
        options->location = TRUE;
      else if (take_option (&args, "-last", 3))
        options->last = TRUE;
      else if (take_option (&args, "-within", 2))
        {
          gsize length = strcspn (args, " \t");

          g_free (options->within);
          options->within = g_strndup (args, length);
          args += length;
          while (g_ascii_isspace (*args))
            args++;
          if (length == 0)
            return bridge_fail (error, BRIDGE_ERROR_FAILED, "-within requires an argument.");
        }
      else if (take_option (&args, "--", 2))
        break;
      else
        break; /* an expression such as -x  */
    }
  options->expr = args;
  if (*args == '\0')
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "Argument required (expression to compute).");
  return TRUE;
}

static gboolean
check_before (const Record *checkpoint, const char *name, GError **error)
{
  Moment at;
  Here here;

  record_moment (checkpoint, "at", &at);
  if (!here_ask (&here, error))
    return FALSE;
  if (moment_compare (&at, &here.now) >= 0)
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "Checkpoint %s is not before now.", name);
  return TRUE;
}

/* Where to search from, as packets have it; NULL with an error.  */
static char *
parse_within (const char *within, GError **error)
{
  char *end;
  double percent;
  g_autoptr (GPtrArray) list = NULL;

  if (within == NULL)
    return g_strdup ("begin");
  percent = g_ascii_strtod (within, &end);
  if (end != within && strcmp (end, "%") == 0)
    {
      g_auto (Timeline) timeline = { 0 };

      if (!(percent > 0 && percent <= 100))
        {
          bridge_fail (error, BRIDGE_ERROR_FAILED, "A percentage must be between 0%% and 100%%.");
          return NULL;
        }
      if (!timeline_ask (&timeline, error))
        return NULL;
      return g_strdup_printf ("%" G_GINT64_MODIFIER "x,0,0,0,0",
                              timeline.now.event
                                - (guint64) ((double) (timeline.now.event - timeline.begin.event) * percent / 100));
    }
  list = wire_ask_list (error, "qRetro:Checkpoints");
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, record_number (list->pdata[i], "number"));
      g_autofree char *name = record_string (list->pdata[i], "name");

      if (g_strcmp0 (within, number) == 0 || g_strcmp0 (within, name) == 0)
        return check_before (list->pdata[i], within, error) ? g_strdup (record_text (list->pdata[i], "at")) : NULL;
    }
  if (list != NULL)
    bridge_fail (error, BRIDGE_ERROR_FAILED, "No checkpoint %s.", within);
  return NULL;
}

static char **
complete_watch (const char *text)
{
  static const char *const words[] = { "-location", "-last", "-within", NULL };
  const char *blank = strrchr (text, ' ');
  const char *last = blank == NULL ? text : blank + 1;

  if (*last == '-')
    return g_strdupv ((char **) words);
  if (blank != NULL)
    {
      while (blank > text && *blank == ' ')
        blank--;
      if (blank + 1 - text >= 7 && strncmp (blank - 6, "-within", 7) == 0)
        return checkpoint_complete (text);
    }
  return NULL;
}

/* ---- What to say ---- */

/* "holds", "does not hold", "is 5".  */
static char *
say_value (const Search *search, const BridgeResult *result)
{
  if (bridge_expr_is_condition (search->expr))
    return g_strdup (result->truth ? "holds" : "does not hold");
  return g_strconcat ("is ", result->text, NULL);
}

/* As in "and no longer after this statement".  */
static char *
say_after (const Search *search, gboolean evaluable)
{
  if (!bridge_expr_is_condition (search->expr))
    return g_strdup_printf ("and %s%s after this statement", evaluable ? "" : "is ", search->now.text);
  if (!evaluable)
    return g_strdup_printf ("and %s after this statement", search->now.truth ? "holds" : "does not hold");
  return g_strdup (search->now.truth ? "but does after this statement" : "and no longer after this statement");
}

/* C++ has functions such as "f(int)"; others are named "f ()".  */
static char *
say_function (const Landing *landing)
{
  return g_strconcat (landing->function, strchr (landing->function, '(') == NULL ? " ()" : "", NULL);
}

static void
report_value (const char *text, const Search *search, const Landing *landing)
{
  const BridgeResult *before = &landing->before;
  gboolean evaluable = before->bytes != NULL;
  g_autofree char *value = evaluable ? say_value (search, before) : g_strdup ("cannot be evaluated");
  g_autofree char *after = say_after (search, evaluable);

  /* Of big values only the beginning is shown.  */
  if (evaluable && !bridge_expr_is_condition (search->expr) && strcmp (before->text, search->now.text) == 0)
    bridge_print ("%s has another value here, in thread %d, and its later one after this statement\n", text,
                  bridge_selected_thread ());
  else
    bridge_print ("%s %s here, in thread %d, %s\n", text, value, bridge_selected_thread (), after);
}

static void
report (const char *text, const Search *search, const Found *found, const Landing *landing)
{
  g_autofree char *function = say_function (landing);

  report_value (text, search, landing);
  bridge_print ("(%u probe%s, %.2f s):\n", found->probes, found->probes == 1 ? "" : "s", found->seconds);
  if (found->by_event && found->call != NULL && *found->call != '\0')
    bridge_print ("The change is made by the system call %s, in %s%s.\n", found->call, function,
                  landing->climbed ? ", called from here" : "");
  else if (found->by_event)
    bridge_print ("The change is made by event %" G_GUINT64_FORMAT ", in %s%s.\n", found->event,
                  function, landing->climbed ? ", called from here" : "");
  else if (landing->climbed)
    bridge_print ("The change is made at 0x%" G_GINT64_MODIFIER
                  "x in %s%s, called from here.\n",
                  found->pc, function, landing->has_line ? "" : ", which has no line information");
  else if (landing->caller != NULL)
    bridge_print ("Called from %s, where it was so already before the call.\n", landing->caller);
}

/* If it is the same at the start of the search, say that in place of what
   the helper said.  */
static void
explain_failure (const char *text, const Search *search, const Here *start, GError **error)
{
  g_auto (BridgeResult) first = { 0 };
  g_autoptr (GBytes) code = bridge_expr_compile (search->expr, &search->now, NULL);
  g_autofree char *value = NULL;
  g_autofree char *then = NULL;
  const char *advice;
  double seconds;

  if (start->begin || !search_look_at_start (search, &first, &seconds) || !search_is_bad (search, &first))
    return;
  g_clear_error (error);
  value = say_value (search, &search->now);
  advice = search->last ? "  It has not changed since."
           : code != NULL
             ? "  If it was different in between, \"reverse-watch -last\" finds the last change."
             : "  If it was different at a checkpoint in between, \"-within\" searches from there.";
  then = bridge_expr_is_condition (search->expr) ? g_strdup (first.truth ? ", and held already" : ", nor")
                                                 : g_strdup_printf (" and was %s already", first.text);
  bridge_fail (error, BRIDGE_ERROR_FAILED, "%s %s here (%.6f s)%s where the search starts (%.6f s).%s", text, value,
               start->seconds, then, seconds, advice);
}

/* ---- The command ---- */

static gboolean
find_and_land (const char *text, const Search *search, const Here *start, Landing *landing, GError **error)
{
  Found found;

  if (!search_run (search, &found, error))
    {
      if (error != NULL && *error != NULL && (*error)->code == BRIDGE_ERROR_REFUSED)
        explain_failure (text, search, start, error);
      return FALSE;
    }
  if (!land_before_statement (search, landing, error))
    {
      g_autofree char *moment = moment_format (&start->now);
      g_autoptr (Record) back = wire_ask (NULL, "QRetro:Seek:position:%s", moment);

      found_clear (&found);
      if (back != NULL)
        bridge_forget (record_text (back, "thread"), NULL);
      return FALSE;
    }
  found_clear (&watch_last);
  watch_last = found;
  return TRUE;
}

static gboolean
watch (const char *text, const Search *search, GError **error)
{
  g_autoptr (BridgeSelection) selection = bridge_selection_new ();
  g_auto (Landing) landing = { 0 };
  Here start;

  if (!here_ask (&start, error))
    return FALSE;
  if (!find_and_land (text, search, &start, &landing, error))
    {
      bridge_selection_restore (selection);
      return FALSE;
    }
  report (text, search, &watch_last, &landing);
  return TRUE;
}

/* With a Search made from OPTIONS.  */
static gboolean
prepare (const Options *options, Search *search, GError **error)
{
  search->from = parse_within (options->within, error);
  if (search->from == NULL)
    return FALSE;
  search->last = options->last;
  search->expr = bridge_expr_new (options->expr, options->location, error);
  if (search->expr == NULL || !bridge_expr_evaluate (search->expr, &search->now, error))
    return FALSE;
  if (bridge_expr_calls (search->expr) && strcmp (bridge_get_setting ("diversion"), "off") == 0)
    return bridge_fail (error, BRIDGE_ERROR_FAILED,
                        "The expression calls functions of the program; see \"show retro diversion\".");
  return TRUE;
}

static gboolean
watch_quietly (const Options *options, GError **error)
{
  g_auto (Search) search = { 0 };
  gboolean unwinds = bridge_set_unwinding (TRUE);
  gboolean good;

  bridge_suspend_breakpoints ();
  bridge_watch_quit (TRUE);
  good = prepare (options, &search, error) && watch (options->expr, &search, error);
  bridge_watch_quit (FALSE);
  bridge_resume_breakpoints ();
  bridge_set_unwinding (unwinds);
  return good;
}

static gboolean
run_reverse_watch (const char *args, gboolean from_tty, GError **error)
{
  g_auto (Options) options = { FALSE, FALSE, NULL, NULL };
  g_autofree char *command = g_strconcat ("reverse-watch ", args, NULL);
  gboolean good;

  (void) from_tty;
  if (!parse_options (args, &options, error) || !here_check_recording (error))
    return FALSE;
  undo_begin (command);
  undo_hold ();
  good = watch_quietly (&options, error);
  undo_release ();
  if (!good)
    return FALSE;
  undo_moved ();
  bridge_show_stop (TRUE);
  return TRUE;
}

static const BridgeCommand command = {
  "", "reverse-watch", run_reverse_watch, NULL, complete_watch, TRUE,
  "Go back to a statement that changed the value of an expression.\n"
  "Usage: reverse-watch [-location] [-last] [-within CHECKPOINT|N%] EXPR\n"
  "\n"
  "Options:\n"
  "  -location\n"
  "    Search for a change of the memory that EXPR refers to now, as\n"
  "    \"watch -location\" does.\n"
  "  -last\n"
  "    Find the last change before now, not just one.  EXPR must be such that it\n"
  "    compiles to agent bytecode: no function calls, no local variables.\n"
  "  -within CHECKPOINT|N%\n"
  "    Search only what follows the checkpoint, or the last N% of the events.\n"
  "\n"
  "EXPR is any expression.  Where it has its present value now and another one at\n"
  "the start of the recording, there is a statement in between that changed it; a\n"
  "binary search finds such a statement, in whatever thread runs it, and the program\n"
  "is taken to just before it.  A condition such as \"x < 3\" changes when it becomes\n"
  "true or false; any other expression when it gets its present value.  If EXPR\n"
  "changed more than once, it is one of these changes; \"reverse-watch\" again from\n"
  "there finds an earlier one.\n"
  "\n"
  "The program must be recorded by Retro.  EXPR may call its functions: they run in\n"
  "a throw-away copy.  Where EXPR cannot be evaluated it counts as different.  Local\n"
  "variables are those of the selected frame.  Interrupting the search goes back to\n"
  "where it began, and so does \"undo\" after it.\n"
  "\n"
  "Afterwards $_retro_event, $_retro_pc, $_retro_thread, $_retro_probes and\n"
  "$_retro_seconds tell of the change: its event, the instruction that makes it, the\n"
  "thread, and what the search took."
};

void
watch_start (void)
{
  bridge_add_command (&command);
}
