/* retro replay: open GDB on a recording.

   The program's files come from the recording through the connection
   (GDB's default sysroot, target:), so symbols are right even when the
   program was built again since, or was recorded on another machine.  */

#include "cmd/cmd.h"

#include "base/error.h"
#include "base/paths.h"
#include "cmd/launch.h"

#include <stdio.h>

int
cmd_replay (int argc, char **argv)
{
  gboolean begin = FALSE, stock = FALSE;
  g_auto (GStrv) rest = NULL;
  const GOptionEntry entries[] = {
    { "begin", 'b', 0, G_OPTION_ARG_NONE, &begin, "Start at the beginning, not at the end", NULL },
    { "stock", 0, 0, G_OPTION_ARG_NONE, &stock, "Use the GDB of the system, without Retro's own commands", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &rest, NULL, "[DIR] [GDB-OPTION...]" },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GPtrArray) early = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *dir = NULL;
  g_autofree char *full = NULL;
  g_autofree char *quoted = NULL;
  Launch launch = { .early = early };

  g_option_context_set_summary (context, "Open GDB on a recording: DIR, or the one made last.");
  g_option_context_set_strict_posix (context, TRUE);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      fprintf (stderr, "retro replay: %s\n", error->message);
      return 1;
    }
  dir = rest != NULL && rest[0] != NULL ? g_strdup (rest[0]) : paths_default_recording ();
  full = g_canonicalize_filename (dir, NULL);
  if (!g_file_test (full, G_FILE_TEST_IS_DIR))
    {
      fprintf (stderr, "retro replay: %s: no recording there\n", full);
      return 1;
    }
  quoted = g_shell_quote (full);
  launch.stock = stock;
  launch.serve = g_strdup_printf ("--replay=%s%s", quoted, begin ? " --begin" : "");
  launch.arguments = rest != NULL && rest[0] != NULL ? rest + 1 : NULL;
  launch_gdb (&launch, &error);
  fprintf (stderr, "retro replay: %s\n", error->message);
  g_free (launch.serve);
  return 1;
}
