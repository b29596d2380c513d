/* The `retro' program: finds the subcommand and runs it.  */

#include "cmd/cmd.h"
#include "record/record.h"

#include <glib.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#define VERSION "0.1"

typedef struct
{
  const char *name, *usage, *help;
  int (*run) (int argc, char **argv);
} Command;

static const Command commands[] = {
  { "gdb", "[--stock] [GDB-OPTION...] [PROGRAM]", "debug a program that has a past", cmd_gdb },
  { "record", "[OPTION...] [--] PROGRAM [ARG...]", "run a program and record it", cmd_record },
  { "replay", "[-b] [--stock] [DIR [GDB-OPTION...]]", "open GDB on a recording", cmd_replay },
  { "verify", "[DIR...]", "replay a recording and compare", cmd_verify },
  { "dump", "[DIR [FROM[-TO]]]", "print the events of a recording", cmd_dump },
  { "info", "[DIR]", "summarise a recording", cmd_info },
  { "serve", "[OPTION...] [PROGRAM [ARG...]]", "speak GDB's remote protocol", cmd_serve },
  { "doctor", "", "say what this machine offers", cmd_doctor },
};

static void
print_help (FILE *stream)
{
  fprintf (stream, "Usage: retro COMMAND [ARGUMENT...]\n\nGive a program a past: record, replay, go back.\n\nCommands:\n");
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (stream, "  %-7s %-37s %s\n", commands[i].name, commands[i].usage, commands[i].help);
  fprintf (stream, "\n`retro COMMAND --help' tells more of each.\n");
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL;

  recorder_note_signals ();
  setlocale (LC_ALL, "");
  if (name == NULL)
    {
      print_help (stderr);
      return 1;
    }
  if (strcmp (name, "--help") == 0 || strcmp (name, "-h") == 0 || strcmp (name, "help") == 0)
    {
      print_help (stdout);
      return 0;
    }
  if (strcmp (name, "--version") == 0)
    {
      printf ("retro %s\n", VERSION);
      return 0;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (name, commands[i].name) == 0)
      {
        g_autofree char *full = g_strdup_printf ("retro %s", name);

        g_set_prgname (full);
        argv[1] = full;
        return commands[i].run (argc - 1, argv + 1);
      }
  fprintf (stderr, "retro: no command '%s'; try 'retro --help'\n", name);
  return 1;
}
