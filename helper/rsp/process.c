/* Packets that start and end programs: vRun, vAttach, vKill, D, k, R, and
   the settings of the next run.

   GDB splits the arguments of `run' itself (dropping quotes) and sends
   them one by one; `run A < in' arrives as A, <, in.  The shell that would
   handle the rest must not be recorded, and the recording begins at the
   program: so redirections are made here, and an argument with $, *, ? or
   [ is expanded by wordexp (3), unless `set startup-with-shell off'.

   When no program was named (GDB says nothing unless "set remote
   exec-file" was used) it is the one that the GDB at the other end of
   our pipe has: see rsp/client.h.  */

#include "rsp/server.h"

#include "base/error.h"
#include "rsp/client.h"
#include "rsp/redirect.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

void
run_settings_init (RunSettings *run)
{
  run->env_set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  run->env_unset = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run->shell = TRUE;
}

void
run_settings_clear (RunSettings *run)
{
  g_strfreev (run->argv);
  g_hash_table_unref (run->env_set);
  g_hash_table_unref (run->env_unset);
  g_free (run->cwd);
}

static char **
make_environment (const RunSettings *run)
{
  char **env = g_get_environ ();
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, run->env_unset);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    env = g_environ_unsetenv (env, name);
  g_hash_table_iter_init (&iter, run->env_set);
  while (g_hash_table_iter_next (&iter, &name, &value))
    env = g_environ_setenv (env, name, value, TRUE);
  return env;
}

/* Append ARGUMENT as a shell would expand it.  */
static void
expand_argument (GPtrArray *argv, const char *argument)
{
  wordexp_t words;

  if (strpbrk (argument, "$*?[~") == NULL || strpbrk (argument, " \t\n") != NULL
      || wordexp (argument, &words, WRDE_NOCMD) != 0)
    {
      g_ptr_array_add (argv, g_strdup (argument));
      return;
    }
  for (size_t i = 0; i < words.we_wordc; i++)
    g_ptr_array_add (argv, g_strdup (words.we_wordv[i]));
  wordfree (&words);
}

gboolean
server_start (Server *server, GError **error)
{
  const RunSettings *run = &server->run;
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) env = make_environment (run);
  Redirect redirect;
  Session *session;

  redirect_init (&redirect, run->cwd);
  g_ptr_array_add (argv, g_strdup (run->argv[0]));
  for (char **arg = run->argv + 1; *arg != NULL; arg++)
    {
      int taken = run->shell ? redirect_parse (&redirect, arg, error) : 0;

      if (taken < 0)
        {
          redirect_end (&redirect);
          return FALSE;
        }
      if (taken > 0)
        arg += taken - 1;
      else if (run->shell)
        expand_argument (argv, *arg);
      else
        g_ptr_array_add (argv, g_strdup (*arg));
    }
  g_ptr_array_add (argv, NULL);
  session = session_run ((char **) argv->pdata, env, run->cwd, &server->session_options, error);
  redirect_end (&redirect);
  if (session == NULL)
    return FALSE;
  server_set_session (server, session);
  return TRUE;
}

/* "vRun;FILE;ARG;ARG..."; an empty FILE: the last one.  */
static void
handle_run (Server *server, Text *args, GString *out)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  GError *error = NULL;

  while (text_accept (args, ';'))
    g_ptr_array_add (argv, text_hex_string (args));
  if (!text_done (args) || argv->len == 0)
    {
      reply_malformed (out);
      return;
    }
  if (*(char *) argv->pdata[0] == '\0')
    {
      g_free (argv->pdata[0]);
      argv->pdata[0] = server->run.argv != NULL ? g_strdup (server->run.argv[0]) : client_program ();
    }
  if (argv->pdata[0] == NULL)
    {
      server_notice (server, "Which program?  Say \"set remote exec-file PROGRAM\".");
      reply_message (out, "which program?");
      return;
    }
  g_ptr_array_add (argv, NULL);
  g_strfreev (server->run.argv);
  server->run.argv = g_strdupv ((char **) argv->pdata);
  server_end_session (server);
  if (server_start (server, &error))
    put_stop (server, out);
  else
    {
      server_notice (server, "%s", error->message);
      reply_error (out, error);
    }
}

static void
handle_attach (Server *server, Text *args, GString *out)
{
  GError *error = NULL;
  Session *session;
  guint64 pid;

  text_expect (args, ';');
  pid = text_hex (args);
  if (!text_done (args) || pid == 0 || pid > G_MAXINT32)
    {
      reply_malformed (out);
      return;
    }
  server_end_session (server);
  session = session_attach ((pid_t) pid, &server->session_options, &error);
  if (session == NULL)
    {
      server_notice (server, "%s", error->message);
      reply_error (out, error);
      return;
    }
  server_set_session (server, session);
  server->attached = TRUE;
  server->stop = (Stop) { .kind = STOP_SIGNAL, .signo = SIGSTOP, .thread = session_current_thread (session) };
  put_stop (server, out);
}

/* "vKill;PID".  */
static void
handle_kill_process (Server *server, Text *args, GString *out)
{
  guint64 pid;

  text_expect (args, ';');
  pid = text_hex (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  if (server->session != NULL && pid == (guint64) session_pid (server->session))
    server_end_session (server);
  reply_ok (out);
}

/* The old way, without a reply; in extended mode the server stays.  */
static void
handle_kill (Server *server, Text *args G_GNUC_UNUSED, GString *out G_GNUC_UNUSED)
{
  server_end_session (server);
  server->no_reply = TRUE;
}

/* "D" or "D;PID".  A PID that is not the program's is a fork's child, which
   was never held.  */
static void
handle_detach (Server *server, Text *args, GString *out)
{
  guint64 pid = (guint64) session_pid (server->session);
  GError *error = NULL;
  Session *session;

  if (text_accept (args, ';'))
    pid = text_hex (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  server->general_pid = 0;
  if (pid != (guint64) session_pid (server->session))
    {
      reply_ok (out);
      return;
    }
  session = server->session;
  if (session_is_live (session))
    {
      GError *ignored = NULL;

      if (!writes_end_divert (server->writes, &ignored))
        g_clear_error (&ignored);
      if (!session_detach (session, &error))
        {
          reply_error (out, error);
          return;
        }
    }
  server_end_session (server);
  reply_ok (out);
}

/* "R00": start again, without a reply.  */
static void
handle_restart (Server *server, Text *args G_GNUC_UNUSED, GString *out G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;

  server->no_reply = TRUE;
  if (server->run.argv == NULL)
    return;
  server_end_session (server);
  if (!server_start (server, &error))
    server_notice (server, "%s", error->message);
}

/* ---- Settings of the next run ---- */

static void
handle_shell (Server *server, Text *args, GString *out)
{
  guint64 on;

  text_expect (args, ':');
  on = text_hex (args);
  if (!text_done (args) || on > 1)
    {
      reply_malformed (out);
      return;
    }
  server->run.shell = on != 0;
  reply_ok (out);
}

static void
handle_environment_set (Server *server, Text *args, GString *out)
{
  g_autofree char *pair = NULL;
  char *equals;

  text_expect (args, ':');
  pair = text_hex_string (args);
  equals = strchr (pair, '=');
  if (!text_done (args) || equals == NULL || equals == pair)
    {
      reply_malformed (out);
      return;
    }
  *equals = '\0';
  g_hash_table_remove (server->run.env_unset, pair);
  g_hash_table_replace (server->run.env_set, g_strdup (pair), g_strdup (equals + 1));
  reply_ok (out);
}

static void
handle_environment_unset (Server *server, Text *args, GString *out)
{
  g_autofree char *name = NULL;

  text_expect (args, ':');
  name = text_hex_string (args);
  if (!text_done (args) || *name == '\0' || strchr (name, '=') != NULL)
    {
      reply_malformed (out);
      return;
    }
  g_hash_table_remove (server->run.env_set, name);
  g_hash_table_add (server->run.env_unset, g_steal_pointer (&name));
  reply_ok (out);
}

static void
handle_environment_reset (Server *server, Text *args, GString *out)
{
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  g_hash_table_remove_all (server->run.env_set);
  g_hash_table_remove_all (server->run.env_unset);
  reply_ok (out);
}

static void
handle_directory (Server *server, Text *args, GString *out)
{
  g_autofree char *dir = NULL;

  text_expect (args, ':');
  dir = text_hex_string (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  g_free (server->run.cwd);
  server->run.cwd = *dir != '\0' ? g_steal_pointer (&dir) : NULL;
  reply_ok (out);
}

/* Addresses are never random under a recorder.  */
static void
handle_randomization (Server *server G_GNUC_UNUSED, Text *args, GString *out)
{
  text_expect (args, ':');
  text_hex (args);
  if (text_done (args))
    reply_ok (out);
  else
    reply_malformed (out);
}

const PacketRow process_packets[] = {
  { "vRun", ROW_MOVES, handle_run },
  { "vAttach", ROW_MOVES, handle_attach },
  { "vKill", ROW_MOVES, handle_kill_process },
  { "k", ROW_MOVES, handle_kill },
  { "D", ROW_SESSION | ROW_MOVES, handle_detach },
  { "R", ROW_MOVES, handle_restart },
  { "QStartupWithShell", 0, handle_shell },
  { "QEnvironmentHexEncoded", 0, handle_environment_set },
  { "QEnvironmentUnset", 0, handle_environment_unset },
  { "QEnvironmentReset", 0, handle_environment_reset },
  { "QSetWorkingDir", 0, handle_directory },
  { "QDisableRandomization", 0, handle_randomization },
  { NULL, 0, NULL },
};
