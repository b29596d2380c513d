/* set/show retro.

   GDB keeps the values; those that the helper acts upon are sent to it
   when they change, and again after each connection (the defaults are the
   helper's own, so only what differs from them is sent).  */

#include "here.h"
#include "bridge.h"

#include <string.h>

/* "2G", "500M", "auto" as bytes; 0 is automatic.  */
static gboolean
parse_size (const char *text, guint64 *bytes_ret, GError **error)
{
  static const char units[] = "KMGT";
  char *end;
  guint64 number;

  if (strcmp (text, "auto") == 0)
    {
      *bytes_ret = 0;
      return TRUE;
    }
  number = g_ascii_strtoull (text, &end, 10);
  if (end == text || number == 0)
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "A size such as 500M or 2G, or \"auto\", is expected.");
  if (*end != '\0')
    {
      const char *unit = strchr (units, g_ascii_toupper (*end));

      if (unit == NULL || (end[1] != '\0' && strcmp (end + 1, "B") != 0))
        return bridge_fail (error, BRIDGE_ERROR_FAILED, "Unknown unit in size \"%s\".", text);
      number <<= 10 * (unit - units + 1);
    }
  *bytes_ret = number;
  return TRUE;
}

/* Send NAME if a helper is there to hear it.  */
static gboolean
send (const char *name, guint64 value, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (Record) record = NULL;

  if (!bridge_is_remote ())
    return TRUE;
  record = wire_ask (&failure, "QRetro:Set:%s=%" G_GINT64_MODIFIER "x", name, value);
  if (record == NULL && failure->code == BRIDGE_ERROR_REFUSED)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  return TRUE;
}

static gboolean
change_interval (const char *value, GError **error)
{
  guint64 milliseconds = g_ascii_strtoull (value, NULL, 10);

  if (milliseconds == 0)
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "The interval must be at least 1 millisecond.");
  return send ("snapshot-interval", milliseconds * 1000, error);
}

static gboolean
change_memory (const char *value, GError **error)
{
  guint64 bytes = 0;

  return parse_size (value, &bytes, error) && send ("snapshot-memory", bytes, error);
}

static gboolean
change_seed (const char *value, GError **error)
{
  return send ("seed", g_ascii_strtoull (value, NULL, 10), error);
}

static const BridgeSetting settings[] = {
  { "record", BRIDGE_BOOLEAN, "on",
    "Set whether programs that GDB runs or attaches to are recorded.",
    "Show whether programs that GDB runs or attaches to are recorded.",
    "When on (the default), \"run\", \"start\", \"starti\" and \"attach\" start the program\n"
    "under Retro's recorder, so that the reverse execution commands, checkpoints\n"
    "and \"reverse-watch\" work.  When off, they start it as without Retro.\n"
    "A change takes effect with the next \"run\" or \"attach\".",
    "Recording of programs that GDB runs or attaches to is", NULL },
  { "snapshot-interval", BRIDGE_NUMBER, "250",
    "Set the time between two snapshots, in milliseconds.",
    "Show the time between two snapshots, in milliseconds.",
    "While Retro records a program, a copy of it is kept about every so often.\n"
    "Going anywhere in time takes at most that much execution.",
    "The time between two snapshots, in milliseconds, is", change_interval },
  { "snapshot-memory", BRIDGE_TEXT, "auto",
    "Set the memory that snapshots may take.",
    "Show the memory that snapshots may take.",
    "A size such as 500M or 2G, or \"auto\": a quarter of the machine's memory.\n"
    "When Retro's snapshots need more, some are dropped; going back takes longer\n"
    "then.",
    "The memory that snapshots may take is", change_memory },
  { "seed", BRIDGE_NUMBER, "0",
    "Set the seed of the thread scheduler.",
    "Show the seed of the thread scheduler.",
    "Retro runs one thread at a time, and draws the moments at which it switches\n"
    "them with this seed, so another seed tries another order.  Zero is the\n"
    "scheduler's usual behaviour.\n"
    "A change takes effect with the next \"run\".",
    "The seed of the thread scheduler is", change_seed },
  { "diversion", BRIDGE_BOOLEAN, "on",
    "Set whether searches may call functions of the program.",
    "Show whether searches may call functions of the program.",
    "Functions that an expression calls run in a throw-away copy of the program,\n"
    "a diversion, so that they never change what Retro recorded.  When off,\n"
    "\"reverse-watch\" refuses expressions that call functions.",
    "Calling functions of the program in searches is", NULL },
  { "progress", BRIDGE_AUTO_BOOLEAN, "auto",
    "Set whether the progress of searches is shown.",
    "Show whether the progress of searches is shown.",
    "When auto (the default), Retro shows it if GDB's output is a terminal.",
    "Showing the progress of searches is", NULL },
};

void
settings_send (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      const char *value = bridge_get_setting (settings[i].name);
      g_autoptr (GError) error = NULL;

      if (settings[i].changed != NULL && strcmp (value, settings[i].initial) != 0
          && !settings[i].changed (value, &error))
        bridge_warn ("%s", error->message);
    }
}

void
settings_start (void)
{
  bridge_add_prefix ("set", "retro",
                     "Set parameters of recording and going back in time.\n"
                     "Configure how Retro records programs and keeps their past.");
  bridge_add_prefix ("show", "retro",
                     "Show parameters of recording and going back in time.\n"
                     "Show how Retro records programs and keeps their past.");
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    bridge_add_setting (&settings[i]);
}
