/* checkpoint, restart, info checkpoints, delete checkpoint.

   GDB has commands of these names that fork the program; they run where
   nothing is recorded.  The helper keeps the checkpoints; here is a copy of
   what the last list said, only to name those of a former run after it.  */

#include "here.h"
#include "bridge.h"
#include "undo.h"

#include <string.h>

static GPtrArray *former; /* lines of text  */
static GPtrArray *present;

/* ---- Listing ---- */

static char *
describe (const Record *record)
{
  Moment at;
  g_autofree char *name = record_string (record, "name");
  g_autofree char *place = NULL;
  const char *thread = record_text (record, "thread");

  record_moment (record, "at", &at);
  place = bridge_describe_pc (at.pc);
  return g_strdup_printf ("%-4" G_GUINT64_FORMAT " %-12s %-10" G_GUINT64_FORMAT " %-11.6f %-6d 0x%" G_GINT64_MODIFIER
                          "x in %s",
                          record_number (record, "number"), name != NULL ? name : "", at.event,
                          (double) record_number (record, "time") / 1e6,
                          bridge_thread_number (thread == NULL ? "" : thread), at.pc, place);
}

/* The lines of the list; keeps them.  */
static gboolean
refresh (GError **error)
{
  g_autoptr (GPtrArray) list = wire_ask_list (error, "qRetro:Checkpoints");

  if (list == NULL)
    return FALSE;
  g_ptr_array_set_size (present, 0);
  for (guint i = 0; i < list->len; i++)
    g_ptr_array_add (present, describe (list->pdata[i]));
  return TRUE;
}

static void
gone (void)
{
  if (present->len == 0)
    return;
  g_ptr_array_set_size (former, 0);
  g_ptr_array_extend_and_steal (former, present);
  present = g_ptr_array_new_with_free_func (g_free);
}

static const BridgeObserver observer = { NULL, NULL, gone, NULL };

char **
checkpoint_complete (const char *text)
{
  g_autoptr (GPtrArray) list = NULL;
  GPtrArray *words = g_ptr_array_new ();

  (void) text;
  list = bridge_is_remote () ? wire_ask_list (NULL, "qRetro:Checkpoints") : NULL;
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      char *name = record_string (list->pdata[i], "name");

      g_ptr_array_add (words, g_strdup_printf ("%" G_GUINT64_FORMAT, record_number (list->pdata[i], "number")));
      if (name != NULL && *name != '\0')
        g_ptr_array_add (words, name);
      else
        g_free (name);
    }
  g_ptr_array_add (words, NULL);
  return (char **) g_ptr_array_free (words, FALSE);
}

/* ---- Commands ---- */

/* As GDB tells of a new breakpoint.  */
static void
announce (const Record *record)
{
  g_autofree char *name = record_string (record, "name");
  g_autofree char *place = NULL;
  Moment at;

  record_moment (record, "at", &at);
  place = bridge_describe_pc (at.pc);
  bridge_print ("Checkpoint %" G_GUINT64_FORMAT "%s%s at event %" G_GUINT64_FORMAT ", %.6f s: 0x%" G_GINT64_MODIFIER
                "x in %s\n",
                record_number (record, "number"), name != NULL && *name != '\0' ? ", " : "", name != NULL ? name : "",
                at.event, (double) record_number (record, "time") / 1e6, at.pc, place);
}

static gboolean
run_checkpoint (const char *args, gboolean from_tty, GError **error)
{
  g_autoptr (Record) record = NULL;
  g_autofree char *hex = wire_hex (args);

  (void) from_tty;
  if (!here_check_recording (error))
    return FALSE;
  if (strpbrk (args, " \t") != NULL)
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "A checkpoint's name is one word.");
  if (g_ascii_isdigit (args[0]))
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "A checkpoint's name must not begin with a digit.");
  record = wire_ask (error, *hex != '\0' ? "QRetro:Checkpoint:%s" : "QRetro:Checkpoint%s", hex);
  if (record == NULL)
    return FALSE;
  announce (record);
  return refresh (NULL) || TRUE;
}

static gboolean
run_restart (const char *args, gboolean from_tty, GError **error)
{
  g_autofree char *hex = wire_hex (args);
  g_autofree char *where = g_strconcat ("checkpoint:", hex, NULL);
  g_autofree char *command = g_strconcat ("restart ", args, NULL);

  (void) from_tty;
  if (*args == '\0')
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "Argument required (checkpoint's name or number to go to).");
  return here_seek (where, command, error);
}

static void
print_lines (const GPtrArray *lines)
{
  if (lines->len > 0)
    bridge_print ("Num  Name         Event      Time        Thread Where\n");
  for (guint i = 0; i < lines->len; i++)
    bridge_print ("%s\n", (const char *) lines->pdata[i]);
}

static gboolean
run_info (const char *args, gboolean from_tty, GError **error)
{
  (void) args;
  (void) from_tty;
  if (!here_check_recording (error) || !refresh (error))
    return FALSE;
  if (present->len == 0)
    bridge_print ("No checkpoints.\n");
  print_lines (present);
  if (former->len > 0)
    bridge_print ("Of the former run, and gone with it:\n");
  print_lines (former);
  return TRUE;
}

/* Delete WORD: a name, a number or a range of numbers.  */
static gboolean
delete_word (const char *word, GError **error)
{
  g_autoptr (Record) record = NULL;
  g_autofree char *hex = NULL;
  char *end;
  guint64 first = g_ascii_strtoull (word, &end, 10);

  if (end != word && *end == '-' && g_ascii_isdigit (end[1]))
    {
      guint64 last = g_ascii_strtoull (end + 1, &end, 10);

      if (*end != '\0' || last < first || last - first > 100000)
        return bridge_fail (error, BRIDGE_ERROR_FAILED, "Bad range of checkpoints \"%s\".", word);
      for (guint64 n = first; n <= last; n++)
        {
          g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
          if (!delete_word (number, error))
            return FALSE;
        }
      return TRUE;
    }
  hex = wire_hex (word);
  record = wire_ask (error, "QRetro:DeleteCheckpoint:%s", hex);
  return record != NULL;
}

static gboolean
run_delete (const char *args, gboolean from_tty, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (args, " \t", -1);

  (void) from_tty;
  if (*args == '\0')
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "Argument required (checkpoint's name or number to delete).");
  if (!here_check_recording (error))
    return FALSE;
  for (char **word = words; *word != NULL; word++)
    if (**word != '\0' && !delete_word (*word, error))
      return FALSE;
  return refresh (NULL) || TRUE;
}

static const BridgeCommand commands[] = {
  { "", "checkpoint", run_checkpoint, here_is_recording, NULL, FALSE,
    "Remember this moment of the recorded program.\n"
    "Usage: checkpoint [NAME]\n"
    "\n"
    "\"restart\" goes back (or forward) to it, at once and with all threads, any\n"
    "number of times.  NAME is one word.  A checkpoint lasts until it is deleted or\n"
    "the program is run again.  Without Retro's recording, fork a duplicate process\n"
    "(experimental)." },
  { "", "restart", run_restart, here_is_recording, checkpoint_complete, FALSE,
    "Go to a checkpoint of the recorded program.\n"
    "Usage: restart NAME|N\n"
    "\n"
    "NAME or N is as \"info checkpoints\" shows.  Nothing is lost by it: the program\n"
    "can go forward again, and \"undo\" goes back to where it was.  Without Retro's\n"
    "recording, N is the number of a process forked by \"checkpoint\"." },
  { "info", "checkpoints", run_info, here_is_recording, NULL, FALSE,
    "List the checkpoints of the recorded program.\n"
    "Usage: info checkpoints\n"
    "\n"
    "Each is shown with its number and name, the number of events until then, the\n"
    "execution time, the thread and the place.  Without Retro's recording, list the\n"
    "processes forked by \"checkpoint\"." },
  { "delete", "checkpoint", run_delete, here_is_recording, checkpoint_complete, FALSE,
    "Delete checkpoints of the recorded program.\n"
    "Usage: delete checkpoint NAME|N|N-M...\n"
    "\n"
    "Arguments are names, numbers or ranges of numbers, separated by spaces.  Without\n"
    "Retro's recording, the argument is the number of a process forked by\n"
    "\"checkpoint\"." },
};

void
checkpoint_start (void)
{
  former = g_ptr_array_new_with_free_func (g_free);
  present = g_ptr_array_new_with_free_func (g_free);
  bridge_observe (&observer);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    bridge_add_command (&commands[i]);
}
