/* retro dump: the events of a recording, one readable line each.

   Names of files and of threads come from a file that nobody trusts and
   go to a terminal: control characters are escaped.  */

#include "base/error.h"
#include "base/paths.h"
#include "cmd/cmd.h"
#include "cmd/describe.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  gboolean writes, regs, maps;
} DumpOptions;

/* Parse "FROM", "FROM-" or "FROM-TO"; *TO_RET is inclusive.  */
static gboolean
parse_range (const char *text, EventNo *from_ret, EventNo *to_ret, GError **error)
{
  const char *dash = strchr (text, '-');
  g_autofree char *from = dash != NULL ? g_strndup (text, (gsize) (dash - text)) : g_strdup (text);

  if (!g_ascii_string_to_unsigned (from, 10, 0, G_MAXINT64, from_ret, NULL))
    return error_set (error, RETRO_ERROR_USAGE, "`%s' is not an event number or a range FROM-TO", text);
  *to_ret = dash != NULL ? G_MAXUINT64 : *from_ret;
  if (dash != NULL && dash[1] != '\0'
      && (!g_ascii_string_to_unsigned (dash + 1, 10, 0, G_MAXINT64, to_ret, NULL) || *to_ret < *from_ret))
    return error_set (error, RETRO_ERROR_USAGE, "`%s' is not an event number or a range FROM-TO", text);
  return TRUE;
}

static void
print_event (const Log *log, EventNo n, const Event *event, const DumpOptions *options)
{
  g_autofree char *time = describe_time (event->time), *what = describe_event (event, log);
  g_autofree char *safe = g_strescape (what, "\"\\");
  g_autofree char *thread = g_strdup_printf ("t%u", event->thread);

  printf ("%8" G_GUINT64_FORMAT " %11s %-4s %-12s%s\n", n, time, thread, event_kind_name (event->kind), safe);
  for (guint i = 0; options->maps && event->ops != NULL && i < event->ops->len; i++)
    {
      g_autofree char *op = describe_op (&g_array_index (event->ops, MapOp, i), log);
      g_autofree char *safe_op = g_strescape (op, "\"\\");

      printf ("        %s\n", safe_op);
    }
  if (options->writes)
    describe_writes (event, stdout);
  if (options->regs)
    describe_registers (event, stdout);
}

static gboolean
dump (const char *dir, EventNo from, EventNo to, const DumpOptions *options, GError **error)
{
  g_autoptr (Log) log = log_open (dir, error);

  if (log == NULL)
    return FALSE;
  if (from > 0 && from >= log_length (log))
    return error_set (error, RETRO_ERROR_USAGE,
                      "%s: there is no event %" G_GUINT64_FORMAT ", it has %" G_GUINT64_FORMAT, dir, from,
                      log_length (log));
  for (EventNo n = from; n < log_length (log) && n <= to; n++)
    {
      const Event *event = log_get (log, n, error);

      if (event == NULL)
        return FALSE;
      print_event (log, n, event, options);
      if (ferror (stdout))
        return error_set_errno (error, "cannot write");
    }
  if (fflush (stdout) != 0)
    return error_set_errno (error, "cannot write");
  return TRUE;
}

static gboolean
parse_and_dump (int argc, char **argv, GError **error)
{
  DumpOptions options = { FALSE, FALSE, FALSE };
  const GOptionEntry entries[] = {
    { "writes", 'w', 0, G_OPTION_ARG_NONE, &options.writes, "Print the memory that events wrote", NULL },
    { "regs", 'r', 0, G_OPTION_ARG_NONE, &options.regs, "Print all registers that events have", NULL },
    { "maps", 'm', 0, G_OPTION_ARG_NONE, &options.maps, "Print each change of the mappings", NULL },
    { 0 },
  };
  g_autoptr (GOptionContext) context =
    g_option_context_new ("[DIR] [FROM[-TO]] - print events of a recording");
  g_autofree char *latest = paths_default_recording ();
  const char *dir = latest;
  EventNo from = 0, to = G_MAXUINT64;
  int next = 1;

  g_set_prgname ("retro dump");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_summary (context, "Print the events FROM to TO (default: all) of the recording DIR\n"
                                         "(default: the latest), one line each.");
  if (!g_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  /* One argument that is a number is a range, unless it is a directory.  */
  if (argc > 1 && (argc > 2 || !g_ascii_isdigit (argv[1][0]) || g_file_test (argv[1], G_FILE_TEST_IS_DIR)))
    dir = argv[next++];
  if (next < argc && !parse_range (argv[next++], &from, &to, error))
    return FALSE;
  if (next < argc)
    return error_set (error, RETRO_ERROR_USAGE, "one recording and one range are all it takes");
  return dump (dir, from, to, &options, error);
}

int
cmd_dump (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (parse_and_dump (argc, argv, &error))
    return 0;
  fflush (stdout);
  fprintf (stderr, "retro dump: %s\n", error->message);
  return 1;
}
