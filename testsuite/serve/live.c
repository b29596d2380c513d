/* Something to run again and again: prints its arguments, copies standard
   input to standard output if the last one is -, and ends as the first says.  */

/* build: -O0 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int total;

static int
add (int value)
{
  total += value;
  return total;
}

static void
copy_input (void)
{
  char line[200];

  while (fgets (line, sizeof line, stdin))
    printf ("read: %s", line);
}

static void
finish (const char *how)
{
  if (strcmp (how, "segv") == 0)
    *(volatile int *) 16 = total;
  if (strcmp (how, "abort") == 0)
    abort ();
  if (strcmp (how, "kill") == 0)
    raise (SIGKILL);
  exit (atoi (how));
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    printf ("argument %d: %s\n", i, argv[i]);
  fflush (stdout);
  for (int i = 1; i <= 5; i++)
    add (i);
  fprintf (stderr, "total %d\n", total);
  if (argc > 1 && strcmp (argv[argc - 1], "-") == 0)
    copy_input ();
  fflush (stdout);
  finish (argc > 1 ? argv[1] : "0");
}
