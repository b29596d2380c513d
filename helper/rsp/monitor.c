/* qRcmd: the `monitor' commands, for a GDB without the extension.

   One row for each command; `monitor help' prints the rows.  Words may be
   shortened as long as they name one row.  A command that moves time
   cannot tell GDB so, since the protocol has no way to: it says which
   GDB commands make GDB look again.  (With the extension its own commands
   do this by themselves.)  */

#include "rsp/server.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define USEC_PER_SEC 1000000.0

/* REST: what follows the command's words, without blanks around.  Output goes
   to OUT as text.  */
typedef gboolean (*MonitorFunc) (Server *server, const char *rest, GString *out, GError **error);

typedef struct
{
  const char *words, *arguments, *help;
  guint flags; /* ROW_...  */
  MonitorFunc run;
} MonitorRow;

static const MonitorRow rows[];

static gboolean
need_argument (const char *rest, const char *what, GError **error)
{
  return *rest != '\0' || error_set (error, RETRO_ERROR_USAGE, "Say which %s.", what);
}

static gboolean
no_argument (const char *rest, GError **error)
{
  return *rest == '\0' || error_set (error, RETRO_ERROR_USAGE, "Unexpected words: %s", rest);
}

/* "event 12 of 0-345 (23%), 0.123 s"  */
static void
describe_here (Server *server, GString *out)
{
  Session *session = server->session;
  Position begin, here, end;

  session_begin (session, &begin);
  session_position (session, &here);
  session_end (session, &end);
  g_string_append_printf (out, "event %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, here.event,
                          begin.event, end.event);
  if (here.ticks != 0)
    g_string_append_printf (out, " and %" G_GUINT64_FORMAT " branches", here.ticks);
  g_string_append_printf (out, ", %.6f s, pc 0x%" G_GINT64_MODIFIER "x%s\n",
                          (double) session_time (session, here.event) / USEC_PER_SEC, here.pc,
                          session_at_frontier (session) ? session_is_live (session) ? " (the present)" : " (the end)"
                          : session_at_begin (session)  ? " (the beginning)"
                                                        : "");
}

/* After time was moved.  */
static void
say_moved (Server *server, GString *out)
{
  server_moved (server);
  g_string_append (out, "Now at ");
  describe_here (server, out);
  g_string_append (out, "GDB does not know yet.  Make it look again:  maint flush register-cache\n"
                        "and:  maint flush dcache   (after a move to another thread also:  info threads)\n");
}

/* ---- Checkpoints ---- */

static void
describe_checkpoint (Server *server, const Checkpoint *checkpoint, GString *out)
{
  g_string_append_printf (out, "%3d  %-16s event %" G_GUINT64_FORMAT ", %.6f s, pc 0x%" G_GINT64_MODIFIER "x\n",
                          checkpoint->number, checkpoint->name != NULL ? checkpoint->name : "",
                          checkpoint->position.event,
                          (double) session_time (server->session, checkpoint->position.event) / USEC_PER_SEC,
                          checkpoint->position.pc);
}

static gboolean
run_checkpoint (Server *server, const char *rest, GString *out, GError **error)
{
  const Checkpoint *checkpoint = session_checkpoint (server->session, *rest != '\0' ? rest : NULL, error);

  if (checkpoint == NULL)
    return FALSE;
  g_string_append_printf (out, "Checkpoint %d: ", checkpoint->number);
  describe_here (server, out);
  return TRUE;
}

static gboolean
run_info_checkpoints (Server *server, const char *rest, GString *out, GError **error)
{
  const GPtrArray *all = session_checkpoints (server->session);

  if (!no_argument (rest, error))
    return FALSE;
  if (all->len == 0)
    g_string_append (out, "No checkpoints.\n");
  for (guint i = 0; i < all->len; i++)
    describe_checkpoint (server, g_ptr_array_index (all, i), out);
  return TRUE;
}

static gboolean
run_delete_checkpoint (Server *server, const char *rest, GString *out G_GNUC_UNUSED, GError **error)
{
  return need_argument (rest, "checkpoint", error) && session_delete_checkpoint (server->session, rest, error);
}

static gboolean
seek_checkpoint (Server *server, const char *name, GError **error)
{
  const Checkpoint *checkpoint = session_find_checkpoint (server->session, name, error);
  Position position;

  if (checkpoint == NULL)
    return FALSE;
  position = checkpoint->position;
  return session_seek (server->session, &position, error);
}

static gboolean
run_restart (Server *server, const char *rest, GString *out, GError **error)
{
  if (!need_argument (rest, "checkpoint", error) || !writes_end_divert (server->writes, error)
      || !seek_checkpoint (server, rest, error))
    return FALSE;
  say_moved (server, out);
  return TRUE;
}

/* ---- Time ---- */

static gboolean
parse_number (const char *text, guint64 *value_ret, GError **error)
{
  return g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, value_ret, NULL)
         || error_set (error, RETRO_ERROR_USAGE, "Not a number: %s", text);
}

static gboolean
seek_words (Server *server, const char *rest, GError **error)
{
  gsize length = strlen (rest);
  guint64 number;

  if (g_str_equal (rest, "begin"))
    return server_seek_part (server, 0, error);
  if (g_str_equal (rest, "end"))
    return server_seek_part (server, 1000000, error);
  if (g_str_has_prefix (rest, "event "))
    return parse_number (rest + 6, &number, error) && session_seek_event (server->session, number, error);
  if (length > 1 && rest[length - 1] == '%')
    {
      char *end;
      double part = g_ascii_strtod (rest, &end);

      if (end == rest + length - 1 && part >= 0 && part <= 100)
        return server_seek_part (server, (guint64) (part * 10000), error);
    }
  if (g_str_has_prefix (rest, "tick ") || g_str_has_prefix (rest, "position "))
    {
      Position position;
      Text text;

      rest = strchr (rest, ' ') + 1;
      text_init (&text, rest, strlen (rest));
      if (text_position (&text, &position) && text_done (&text))
        return session_seek (server->session, &position, error);
    }
  return error_set (error, RETRO_ERROR_USAGE, "Where to?  begin, end, N%%, event N or position E,T,I,R");
}

static gboolean
run_seek (Server *server, const char *rest, GString *out, GError **error)
{
  if (!writes_end_divert (server->writes, error) || !seek_words (server, rest, error))
    return FALSE;
  say_moved (server, out);
  return TRUE;
}

/* A line of 60 characters: begin to end, checkpoints, and where we are.  */
static void
draw_timeline (Server *server, GString *out)
{
  enum
  {
    WIDTH = 60
  };
  Session *session = server->session;
  const GPtrArray *checkpoints = session_checkpoints (session);
  Position begin, here, end;
  char line[WIDTH + 2];
  EventNo length;

  session_begin (session, &begin);
  session_position (session, &here);
  session_end (session, &end);
  length = MAX (end.event - begin.event, 1);
  memset (line, '-', WIDTH + 1);
  line[WIDTH + 1] = '\0';
  for (guint i = 0; i < checkpoints->len; i++)
    {
      const Checkpoint *checkpoint = g_ptr_array_index (checkpoints, i);

      line[(checkpoint->position.event - begin.event) * WIDTH / length] = 'C';
    }
  line[(here.event - begin.event) * WIDTH / length] = '^';
  g_string_append_printf (out, "|%s%s\n", line, session_is_live (session) ? ">" : "|");
}

static gboolean
run_info_timeline (Server *server, const char *rest, GString *out, GError **error)
{
  Session *session = server->session;
  Position here, end;
  guint64 bytes;
  guint count;

  if (!no_argument (rest, error))
    return FALSE;
  draw_timeline (server, out);
  g_string_append (out, "Here: ");
  describe_here (server, out);
  session_position (session, &here);
  session_end (session, &end);
  g_string_append_printf (out, "Position: %" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER
                               "x,%" G_GINT64_MODIFIER "x\n",
                          here.event, here.ticks, here.insn, here.reps);
  session_snapshot_stats (session, &count, &bytes);
  g_string_append_printf (out, "History: %.6f s, %u snapshots of %.1f MB in all\n",
                          (double) session_time (session, end.event) / USEC_PER_SEC, count, (double) bytes / 1e6);
  if (session_in_diversion (session))
    g_string_append (out, "What is shown is a throw-away copy.\n");
  return TRUE;
}

static gboolean
run_undivert (Server *server, const char *rest, GString *out, GError **error)
{
  if (!no_argument (rest, error) || !writes_end_divert (server->writes, error))
    return FALSE;
  say_moved (server, out);
  return TRUE;
}

static gboolean
run_digest (Server *server, const char *rest, GString *out, GError **error)
{
  guint64 digest;

  if (!no_argument (rest, error) || !session_digest (server->session, &digest, error))
    return FALSE;
  g_string_append_printf (out, "%016" G_GINT64_MODIFIER "x\n", digest);
  return TRUE;
}

/* ---- Settings, saving ---- */

/* "100", "64K", "200M", "1.5G".  */
static gboolean
parse_size (const char *text, guint64 *bytes_ret, GError **error)
{
  static const char units[] = "KMGT";
  char *end;
  double value = g_ascii_strtod (text, &end);
  const char *unit = *end != '\0' ? strchr (units, g_ascii_toupper (*end)) : NULL;

  if (end == text || value < 0 || (*end != '\0' && (unit == NULL || (end[1] != '\0' && !g_str_equal (end + 1, "B")))))
    return error_set (error, RETRO_ERROR_USAGE, "Not a size: %s (like 200M or 2G)", text);
  for (gssize i = unit != NULL ? unit - units : -1; i >= 0; i--)
    value *= 1024;
  if (value > 1e18)
    return error_set (error, RETRO_ERROR_USAGE, "Too large: %s", text);
  *bytes_ret = (guint64) value;
  return TRUE;
}

static gboolean
run_set_memory (Server *server, const char *rest, GString *out, GError **error)
{
  guint64 bytes = 0;

  if (!parse_size (rest, &bytes, error))
    return FALSE;
  server->session_options.snapshot_memory = bytes;
  if (server->session != NULL)
    session_set_snapshot_memory (server->session, bytes);
  if (bytes == 0)
    g_string_append (out, "Snapshots may take a quarter of memory.\n");
  else
    g_string_append_printf (out, "Snapshots may take %.1f MB.\n", (double) bytes / 1e6);
  return TRUE;
}

static gboolean
run_set_interval (Server *server, const char *rest, GString *out, GError **error)
{
  guint64 msec = 0;

  if (!parse_number (rest, &msec, error))
    return FALSE;
  server->session_options.snapshot_usec = msec * 1000;
  if (server->session != NULL)
    session_set_snapshot_interval (server->session, msec * 1000);
  g_string_append_printf (out, "A snapshot about every %" G_GUINT64_FORMAT " ms of run time.\n", msec);
  return TRUE;
}

static gboolean
run_set_seed (Server *server, const char *rest, GString *out, GError **error)
{
  guint64 seed = 0;

  if (!parse_number (rest, &seed, error))
    return FALSE;
  server->session_options.seed = (guint32) seed;
  g_string_append (out, "From the next run on.\n");
  return TRUE;
}

static gboolean
run_save (Server *server, const char *rest, GString *out, GError **error)
{
  const char *from = g_strrstr (rest, " from ");
  g_autofree char *dir = from != NULL ? g_strndup (rest, (gsize) (from - rest)) : g_strdup (rest);
  const Checkpoint *checkpoint = NULL;

  if (!need_argument (rest, "directory", error))
    return FALSE;
  if (from != NULL)
    {
      g_autofree char *name = g_strstrip (g_strdup (from + 6));

      checkpoint = session_find_checkpoint (server->session, name, error);
      if (checkpoint == NULL)
        return FALSE;
    }
  g_strstrip (dir);
  if (!session_save (server->session, dir, checkpoint != NULL ? &checkpoint->position : NULL, error))
    return FALSE;
  g_string_append_printf (out, "Saved.  Open it with:  retro replay %s\n", dir);
  return TRUE;
}

static gboolean
run_help (Server *server G_GNUC_UNUSED, const char *rest G_GNUC_UNUSED, GString *out, GError **error G_GNUC_UNUSED)
{
  for (const MonitorRow *row = rows; row->words != NULL; row++)
    {
      g_autofree char *usage = g_strconcat ("monitor ", row->words, *row->arguments != '\0' ? " " : "", row->arguments,
                                            NULL);

      g_string_append_printf (out, "%-44s %s\n", usage, row->help);
    }
  return TRUE;
}

static const MonitorRow rows[] = {
  { "checkpoint", "[NAME]", "Remember this moment.", ROW_SESSION, run_checkpoint },
  { "info checkpoints", "", "List the checkpoints.", ROW_SESSION, run_info_checkpoints },
  { "restart", "NUMBER|NAME", "Go to a checkpoint.", ROW_SESSION | ROW_MOVES, run_restart },
  { "delete checkpoint", "NUMBER|NAME", "Forget a checkpoint.", ROW_SESSION, run_delete_checkpoint },
  { "seek", "begin|end|N%|event N|position P", "Go to another time.", ROW_SESSION | ROW_MOVES, run_seek },
  { "info timeline", "", "Show history and where we are in it.", ROW_SESSION, run_info_timeline },
  { "undivert", "", "Drop a called function that has stopped.", ROW_SESSION, run_undivert },
  { "set snapshot-memory", "SIZE", "Limit the memory of snapshots (0: a quarter of RAM).", 0, run_set_memory },
  { "set snapshot-interval", "MSEC", "Run time between snapshots.", 0, run_set_interval },
  { "set seed", "NUMBER", "Seed of the scheduler for the next run (0: none).", 0, run_set_seed },
  { "save", "DIR [from CHECKPOINT]", "Write history, or the part from a checkpoint on.", ROW_SESSION, run_save },
  { "digest", "", "Print a digest of registers and memory.", ROW_SESSION, run_digest },
  { "help", "", "List these commands.", 0, run_help },
  { NULL, NULL, NULL, 0, NULL },
};

/* Does LINE begin with ROW's words, each possibly shortened?  Where the rest
   starts, or NULL.  */
static const char *
match_words (const char *words, const char *line)
{
  while (*words != '\0')
    {
      gsize word = strcspn (words, " "), given = strcspn (line, " ");

      if (given == 0 || given > word || memcmp (words, line, given) != 0)
        return NULL;
      words += word + strspn (words + word, " ");
      line += given + strspn (line + given, " ");
    }
  return line;
}

static const MonitorRow *
find_command (const char *line, const char **rest_ret)
{
  const MonitorRow *found = NULL;

  for (const MonitorRow *row = rows; row->words != NULL; row++)
    {
      const char *rest = match_words (row->words, line);

      if (rest == NULL)
        continue;
      if (found != NULL)
        return NULL;
      found = row;
      *rest_ret = rest;
    }
  return found;
}

static gboolean
run_command (Server *server, const char *line, GString *text, GError **error)
{
  const char *rest = NULL;
  const MonitorRow *row = find_command (line, &rest);

  if (row == NULL)
    return error_set (error, RETRO_ERROR_USAGE, "No such command: \"%s\".  Try \"monitor help\".", line);
  if (row->flags & ROW_SESSION && server->session == NULL)
    return error_set (error, RETRO_ERROR_USAGE, "No program is being recorded.");
  if (row->flags & ROW_MOVES && server->search != NULL)
    return error_set (error, RETRO_ERROR_USAGE, "A search is going on.");
  return row->run (server, rest, text, error);
}

static void
handle_command (Server *server, Text *args, GString *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;

  text_expect (args, ',');
  line = text_hex_string (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  g_strstrip (line);
  /* GDB prints an error reply without its text, so errors are output, too.  */
  if (!run_command (server, line, text, &error))
    g_string_append_printf (text, "%s\n", error->message);
  if (text->len > 0)
    wire_console (server->wire, text->str);
  reply_ok (out);
}

const PacketRow monitor_packets[] = {
  { "qRcmd", 0, handle_command },
  { NULL, 0, NULL },
};
