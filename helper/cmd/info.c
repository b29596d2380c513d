/* retro info: what is in a recording.

   It decodes every event, for counts by kind and for the highest thread
   number; the log's index alone would not say.  */

#include "base/error.h"
#include "base/paths.h"
#include "cmd/cmd.h"
#include "cmd/describe.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct
{
  guint64 kinds[EV_KINDS];
  guint64 threads;  /* highest number + 1  */
  guint64 execs;    /* images behind the first  */
  guint64 duration; /* time of the last event  */
  guint64 digests;
  gboolean ended;
  int status;
} Counts;

static gboolean
count_events (Log *log, Counts *counts, GError **error)
{
  for (EventNo n = 0; n < log_length (log); n++)
    {
      const Event *event = log_get (log, n, error);

      if (event == NULL)
        return FALSE;
      counts->kinds[event->kind]++;
      counts->threads = MAX (counts->threads, (guint64) event->thread + 1);
      if (event->new_thread != NO_THREAD)
        counts->threads = MAX (counts->threads, (guint64) event->new_thread + 1);
      counts->execs += event->kind == EV_IMAGE && n > 0;
      counts->duration = event->time;
      counts->digests += event->has_digest ? 1 : 0;
      if (event->kind == EV_END)
        {
          counts->ended = TRUE;
          counts->status = (int) event->result;
        }
    }
  return TRUE;
}

static void
print_field (const char *name, const char *value)
{
  g_autofree char *safe = g_strescape (value, "\"\\");

  printf ("%-11s%s\n", name, safe);
}

static void
print_number (const char *name, guint64 value)
{
  printf ("%-11s%" G_GUINT64_FORMAT "\n", name, value);
}

static void
print_command (const LogHeader *header)
{
  g_autoptr (GString) line = g_string_new (NULL);

  for (char **arg = header->argv; *arg != NULL; arg++)
    {
      g_autofree char *quoted = g_shell_quote (*arg);
      gboolean plain =
        **arg != '\0' && strspn (*arg, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_./=:,+@%") == strlen (*arg);

      g_string_append_printf (line, "%s%s", line->len > 0 ? " " : "", plain ? *arg : quoted);
    }
  print_field ("program", header->program);
  print_field ("command", line->str);
  print_field ("directory", header->cwd);
}

static void
print_header (const Log *log)
{
  const LogHeader *header = log_header (log);
  g_autoptr (GDateTime) when = NULL;
  g_autofree char *text = NULL;

  print_command (header);
  if (header->start_time / G_USEC_PER_SEC < G_MAXINT32)
    when = g_date_time_new_from_unix_local ((gint64) (header->start_time / G_USEC_PER_SEC));
  if (when != NULL)
    text = g_date_time_format (when, "%Y-%m-%d %H:%M:%S %z");
  print_field ("recorded", text != NULL ? text : "at an unknown time");
  print_field ("cpu", header->cpu);
  print_number ("seed", header->seed);
}

static void
print_files (const Log *log)
{
  guint64 bytes = 0;
  guint missing = 0;

  for (guint32 i = 0; i < log_n_files (log); i++)
    {
      g_autofree char *path = log_file_path (log, i);
      struct stat st;

      if (lstat (path, &st) == 0 && S_ISREG (st.st_mode))
        bytes += (guint64) st.st_size;
      else
        missing++;
    }
  printf ("%-11s%u, %" G_GUINT64_FORMAT " bytes", "files", log_n_files (log), bytes);
  if (missing > 0)
    printf (", %u missing", missing);
  putchar ('\n');
}

static void
print_counts (const Log *log, const Counts *counts)
{
  EventNo n = log_length (log);
  g_autofree char *duration = describe_time (counts->duration);
  g_autofree char *end = counts->ended ? describe_status (counts->status) : g_strdup ("not recorded");

  print_number ("threads", counts->threads);
  if (counts->execs > 0)
    print_number ("execs", counts->execs);
  print_number ("events", n);
  for (guint kind = 1; kind < EV_KINDS; kind++)
    if (counts->kinds[kind] > 0)
      printf ("  %-13s%" G_GUINT64_FORMAT "\n", event_kind_name ((EventKind) kind), counts->kinds[kind]);
  printf ("%-11s%" G_GUINT64_FORMAT " bytes", "log", log_bytes (log));
  if (n > 0)
    printf (", %.1f an event", (double) log_bytes (log) / (double) n);
  putchar ('\n');
  print_files (log);
  printf ("%-11s%s s\n", "duration", duration);
  if (log_header (log)->check)
    printf ("%-11s%" G_GUINT64_FORMAT " digests of memory\n", "checks", counts->digests);
  else
    print_field ("checks", "registers only (recorded without --check)");
  print_field ("end", end);
  print_field ("log is",
               log_is_truncated (log) ? "truncated: it was not closed, or its end is missing" : "complete");
}

static gboolean
info (const char *dir, GError **error)
{
  g_autoptr (Log) log = log_open (dir, error);
  Counts counts = { .ended = FALSE };
  g_autofree char *real = realpath (dir, NULL);

  if (log == NULL || !count_events (log, &counts, error))
    return FALSE;
  print_field ("recording", real != NULL ? real : dir);
  print_header (log);
  print_counts (log, &counts);
  if (fflush (stdout) != 0)
    return error_set_errno (error, "cannot write");
  return TRUE;
}

static gboolean
parse_and_inform (int argc, char **argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("[DIR] - tell what is in a recording");
  g_autofree char *latest = paths_default_recording ();

  g_set_prgname ("retro info");
  g_option_context_set_summary (context, "Tell what is in the recording DIR (default: the latest).");
  if (!g_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc > 2)
    return error_set (error, RETRO_ERROR_USAGE, "one recording at a time");
  return info (argc == 2 ? argv[1] : latest, error);
}

int
cmd_info (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (parse_and_inform (argc, argv, &error))
    return 0;
  fprintf (stderr, "retro info: %s\n", error->message);
  return 1;
}
