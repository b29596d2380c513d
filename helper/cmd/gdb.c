/* retro gdb: GDB on a program that has a past.

   Everything that follows is GDB's: options, the program, --args.  Only
   -p PID is turned into an `attach' after the connection, since GDB would
   do it before, natively.  Files are read here (set sysroot /), not
   through the connection.  */

#include "cmd/cmd.h"

#include "base/error.h"
#include "cmd/launch.h"

#include <stdio.h>
#include <string.h>

static const char usage[]
  = "Usage: retro gdb [--stock] [GDB-OPTION...] [PROGRAM | --args PROGRAM ARG...]\n"
    "\n"
    "Debug a program that has a past: run, and then reverse-next, reverse-continue ...\n"
    "\n"
    "  --stock  the GDB of the system (or $GDB), without Retro's own commands\n"
    "\n"
    "All other arguments are GDB's.  With the extension, `help retro' lists what it\n"
    "adds; without it, `monitor help' does.\n";

/* If ARGS starts with GDB's option to attach, its process; *TAKEN_RET is the
   number of arguments it takes.  */
static const char *
attach_option (char **args, int *taken_ret)
{
  static const char *const names[] = { "-p", "--p", "-pid", "--pid" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gsize length = strlen (names[i]);

      if (g_str_equal (args[0], names[i]) && args[1] != NULL)
        {
          *taken_ret = 2;
          return args[1];
        }
      if (length > 2 && g_str_has_prefix (args[0], names[i]) && args[0][length] == '=')
        {
          *taken_ret = 1;
          return args[0] + length + 1;
        }
    }
  *taken_ret = 0;
  return NULL;
}

int
cmd_gdb (int argc, char **argv)
{
  Launch launch = { .early = g_ptr_array_new_with_free_func (g_free),
                    .commands = g_ptr_array_new_with_free_func (g_free) };
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  gboolean program_seen = FALSE;

  for (int i = 1; i < argc; i++)
    {
      int taken = 0;
      const char *pid = program_seen ? NULL : attach_option (argv + i, &taken);

      if (i == 1 && (g_str_equal (argv[i], "--help") || g_str_equal (argv[i], "-h")))
        {
          fputs (usage, stdout);
          return 0;
        }
      if (!program_seen && g_str_equal (argv[i], "--stock"))
        launch.stock = TRUE;
      else if (pid != NULL)
        {
          g_ptr_array_add (launch.commands, g_strdup_printf ("attach %s", pid));
          i += taken - 1;
        }
      else
        g_ptr_array_add (arguments, argv[i]);
      program_seen = program_seen || g_str_equal (argv[i], "--args") || g_str_equal (argv[i], "-args");
    }
  g_ptr_array_add (arguments, NULL);
  g_ptr_array_add (launch.early, g_strdup ("set sysroot /"));
  launch.arguments = (char **) arguments->pdata;
  launch_gdb (&launch, &error);
  fprintf (stderr, "retro gdb: %s\n", error->message);
  g_ptr_array_unref (launch.early);
  g_ptr_array_unref (launch.commands);
  return 1;
}
