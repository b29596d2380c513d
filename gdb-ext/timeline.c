/* info timeline, seek, save recording, info retro.

   The timeline is drawn by events, which is also what percents mean: time
   in the recorder's clock passes unevenly, events are where something
   happened.

     begin                                            present
     |====1==========a=====*..........................|
          checkpoint 1    now  */

#include "here.h"
#include "bridge.h"

#include <math.h>
#include <string.h>

enum
{
  WIDTH = 60
};

/* ---- info timeline ---- */

static guint
find_column (const Timeline *timeline, const Moment *moment)
{
  return (guint) lround (timeline_percent (timeline, moment) / 100 * (WIDTH - 1));
}

static void
draw (const Timeline *timeline, GPtrArray *checkpoints)
{
  char line[WIDTH + 1];
  guint now = find_column (timeline, &timeline->now);
  const char *end = timeline->live ? "the present" : "end";

  memset (line, '=', now);
  memset (line + now, '.', WIDTH - now);
  line[WIDTH] = '\0';
  for (guint i = 0; i < checkpoints->len; i++)
    {
      Moment at;
      guint64 number = record_number (checkpoints->pdata[i], "number");

      record_moment (checkpoints->pdata[i], "at", &at);
      line[find_column (timeline, &at)] = number < 10 ? (char) ('0' + number) : '+';
    }
  line[now] = '*';
  bridge_print ("begin%*s\n", WIDTH - 3, end);
  bridge_print ("|%s|\n", line);
  bridge_print ("%*s^ now\n", (int) now + 1, "");
}

static void
print_moment (const Timeline *timeline, const char *what, const Moment *moment, double seconds)
{
  g_autofree char *place = bridge_describe_pc (moment->pc);

  bridge_print ("%-9s event %" G_GUINT64_FORMAT " (%.4g%%), %.6f s", what, moment->event,
                timeline_percent (timeline, moment), seconds);
  if (moment->pc != 0)
    bridge_print (", 0x%" G_GINT64_MODIFIER "x in %s", moment->pc, place);
  bridge_print ("\n");
}

static gboolean
run_info_timeline (const char *args, gboolean from_tty, GError **error)
{
  g_auto (Timeline) timeline = { 0 };
  g_autoptr (GPtrArray) checkpoints = NULL;

  (void) args;
  (void) from_tty;
  if (!timeline_ask (&timeline, error))
    return FALSE;
  checkpoints = wire_ask_list (error, "qRetro:Checkpoints");
  if (checkpoints == NULL)
    return FALSE;
  if (moment_compare (&timeline.now, &timeline.end) == 0)
    timeline.end.pc = timeline.now.pc;
  draw (&timeline, checkpoints);
  print_moment (&timeline, "Begin:", &timeline.begin, timeline.begin_seconds);
  print_moment (&timeline, "Now:", &timeline.now, timeline.now_seconds);
  print_moment (&timeline, timeline.live ? "Present:" : "End:", &timeline.end, timeline.end_seconds);
  for (guint i = 0; i < checkpoints->len; i++)
    {
      const Record *record = checkpoints->pdata[i];
      g_autofree char *name = record_string (record, "name");
      g_autofree char *what = g_strdup_printf ("%" G_GUINT64_FORMAT "%s%s:", record_number (record, "number"),
                                               name != NULL && *name != '\0' ? " " : "", name != NULL ? name : "");
      Moment at;

      record_moment (record, "at", &at);
      print_moment (&timeline, what, &at, (double) record_number (record, "time") / 1e6);
    }
  return TRUE;
}

/* ---- seek ---- */

/* N% as the packet wants it; FALSE if ARGS is not that.  */
static gboolean
parse_percent (const char *args, guint64 *millionths_ret)
{
  char *end;
  double percent = g_ascii_strtod (args, &end);

  if (end == args || strcmp (end, "%") != 0 || !(percent >= 0 && percent <= 100))
    return FALSE;
  *millionths_ret = (guint64) llround (percent * 10000);
  return TRUE;
}

/* Is there an event NUMBER?  */
static gboolean
check_event (guint64 number, GError **error)
{
  g_auto (Timeline) timeline = { 0 };

  if (!timeline_ask (&timeline, error))
    return FALSE;
  if (number >= timeline.begin.event && number <= timeline.end.event)
    return TRUE;
  return bridge_fail (error, BRIDGE_ERROR_FAILED,
                      "No event %" G_GUINT64_FORMAT ": there are %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ".", number,
                      timeline.begin.event, timeline.end.event);
}

static char *
parse_seek (const char *args, GError **error)
{
  guint64 number;
  char *end;

  if (strcmp (args, "begin") == 0 || strcmp (args, "end") == 0)
    return g_strdup (args);
  if (parse_percent (args, &number))
    return g_strdup_printf ("part:%" G_GINT64_MODIFIER "x", number);
  if (g_str_has_prefix (args, "event ") || strcmp (args, "event") == 0)
    {
      const char *text = args + 5;

      while (g_ascii_isspace (*text))
        text++;
      number = g_ascii_strtoull (text, &end, 10);
      if (!g_ascii_isdigit (*text) || *end != '\0')
        {
          bridge_fail (error, BRIDGE_ERROR_FAILED, "Argument required (number of an event).");
          return NULL;
        }
      if (!check_event (number, error))
        return NULL;
      return g_strdup_printf ("event:%" G_GINT64_MODIFIER "x", number);
    }
  if (*args == '\0')
    bridge_fail (error, BRIDGE_ERROR_FAILED, "Argument required (begin, end, N%%, event N or a checkpoint).");
  else if (strchr (args, '%') != NULL)
    bridge_fail (error, BRIDGE_ERROR_FAILED, "A percentage must be between 0%% and 100%%.");
  else
    {
      g_autofree char *hex = wire_hex (args);
      return g_strconcat ("checkpoint:", hex, NULL);
    }
  return NULL;
}

static gboolean
run_seek (const char *args, gboolean from_tty, GError **error)
{
  g_autofree char *where = NULL;
  g_autofree char *command = g_strconcat ("seek ", args, NULL);

  (void) from_tty;
  if (!here_check_recording (error))
    return FALSE;
  where = parse_seek (args, error);
  return where != NULL && here_seek (where, command, error);
}

static char **
complete_seek (const char *text)
{
  static const char *const words[] = { "begin", "end", "event", NULL };
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) names = checkpoint_complete (text);

  if (strchr (text, ' ') != NULL)
    return NULL;
  g_strv_builder_addv (builder, (const char **) words);
  g_strv_builder_addv (builder, (const char **) names);
  return g_strv_builder_end (builder);
}

/* ---- save recording ---- */

/* The position of checkpoint NAME, as text.  */
static char *
find_checkpoint (const char *name, GError **error)
{
  g_autoptr (GPtrArray) list = wire_ask_list (error, "qRetro:Checkpoints");

  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, record_number (list->pdata[i], "number"));
      g_autofree char *its_name = record_string (list->pdata[i], "name");

      if (g_strcmp0 (name, number) == 0 || g_strcmp0 (name, its_name) == 0)
        return g_strdup (record_text (list->pdata[i], "at"));
    }
  if (list != NULL)
    bridge_fail (error, BRIDGE_ERROR_FAILED, "No checkpoint %s.", name);
  return NULL;
}

static gboolean
run_save (const char *args, gboolean from_tty, GError **error)
{
  const char *from = g_strrstr (args, " from ");
  g_autofree char *dir = g_strstrip (from != NULL ? g_strndup (args, from - args) : g_strdup (args));
  g_autofree char *absolute = NULL;
  g_autofree char *hex = NULL;
  g_autofree char *position = NULL;
  g_autoptr (Record) record = NULL;

  (void) from_tty;
  if (*dir == '\0')
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "Argument required (directory to save the recording in).");
  if (!here_check_recording (error))
    return FALSE;
  if (from != NULL)
    {
      g_autofree char *name = g_strstrip (g_strdup (from + strlen (" from ")));
      position = find_checkpoint (name, error);
      if (position == NULL)
        return FALSE;
    }
  if (g_str_has_prefix (dir, "~/"))
    absolute = g_build_filename (g_get_home_dir (), dir + 2, NULL);
  else
    absolute = g_canonicalize_filename (dir, NULL);
  hex = wire_hex (absolute);
  record = wire_ask (error, "QRetro:Save:%s%s%s", hex, position != NULL ? ":" : "", position != NULL ? position : "");
  if (record == NULL)
    return FALSE;
  bridge_print ("Saved the recording in %s.\n", absolute);
  return TRUE;
}

/* ---- info retro ---- */

static gboolean
run_info_retro (const char *args, gboolean from_tty, GError **error)
{
  g_auto (Timeline) timeline = { 0 };
  gboolean has_dir;

  (void) args;
  (void) from_tty;
  bridge_print ("Retro " RETRO_VERSION ".\n");
  if (!bridge_has_process ())
    {
      bridge_print ("Programs that are run or attached to are %srecorded.\n",
                    strcmp (bridge_get_setting ("record"), "on") == 0 ? "" : "not ");
      return TRUE;
    }
  if (!here_is_recording ())
    {
      bridge_print ("The program is not being recorded.\n");
      return TRUE;
    }
  if (!timeline_ask (&timeline, error))
    return FALSE;
  has_dir = timeline.dir != NULL && *timeline.dir != '\0';
  bridge_print ("%s: %.6f s and %" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " snapshot%s of %.1f MB%s%s.\n",
                timeline.live ? "Recording a live program" : "A recording", timeline.end_seconds,
                timeline.end.event, timeline.snapshots, timeline.snapshots == 1 ? "" : "s",
                (double) timeline.snapshot_bytes / 1048576, has_dir ? ", in " : "", has_dir ? timeline.dir : "");
  print_moment (&timeline, "Now:", &timeline.now, timeline.now_seconds);
  return TRUE;
}

static const BridgeCommand commands[] = {
  { "info", "timeline", run_info_timeline, NULL, NULL, FALSE,
    "Show the recorded program's past: begin, now, end and checkpoints.\n"
    "Usage: info timeline\n"
    "\n"
    "The picture and the percentages go by events: system calls, signals and switches\n"
    "of threads.  \"*\" is now, digits are checkpoints (\"+\" those from 10 on).\n"
    "The program must be recorded by Retro." },
  { "", "seek", run_seek, NULL, complete_seek, FALSE,
    "Go to a moment of the recorded program.\n"
    "Usage: seek begin|end|N%|event N|CHECKPOINT\n"
    "\n"
    "\"begin\" is where recording began, \"end\" the present of a live program or the\n"
    "end of a recording; N% is a part of the events between them.  CHECKPOINT is the\n"
    "name or number of a checkpoint.  \"undo\" goes back.  See also \"info timeline\".\n"
    "The program must be recorded by Retro." },
  { "save", "recording", run_save, NULL, NULL, FALSE,
    "Save the recording in a directory.\n"
    "Usage: save recording DIR [from CHECKPOINT]\n"
    "\n"
    "DIR must not exist or be empty.  \"retro replay DIR\" opens it again, here or on\n"
    "another machine.  With \"from\", only what follows the checkpoint is saved." },
  { "info", "retro", run_info_retro, NULL, NULL, FALSE,
    "Show the state of recording and going back in time.\n"
    "Usage: info retro\n"
    "\n"
    "See also \"info timeline\", \"info checkpoints\", \"info history\" and \"show retro\"." },
};

void
timeline_start (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    bridge_add_command (&commands[i]);
}
