/* run, start, starti and attach go through the helper.

   While "set retro record" is on and no target is connected, the commands
   that make a process first connect GDB to "retro serve" by a pipe, as the
   user could with "target extended-remote | retro serve"; the helper lives
   as long as that connection.  If that fails GDB goes on with its native
   target, and says why.  A target that the user chose is left alone.  When
   the setting has changed, a process of the former kind has to go first.

   The helper inherits GDB's directory and environment.  It is told the
   program by GDB's "remote exec-file".  The other end of GDB's pipe has the
   protocol as its standard input and output, so it inherits copies of GDB's
   own as further descriptors, for the program.  */

#include "here.h"
#include "bridge.h"
#include "undo.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static gboolean connected_by_us;

/* The helper's program: $RETRO, beside this library, as installed, or in
   PATH.  NULL if it is nowhere.  */
static char *
find_helper (void)
{
  static const char *const places[] = { "retro", "../../bin/retro", "../bin/retro" };
  const char *chosen = g_getenv ("RETRO");
  Dl_info info;

  if (chosen != NULL && *chosen != '\0')
    return g_strdup (chosen);
  if (dladdr (&connected_by_us, &info) != 0 && info.dli_fname != NULL)
    {
      g_autofree char *file = realpath (info.dli_fname, NULL);
      g_autofree char *dir = g_path_get_dirname (file != NULL ? file : info.dli_fname);

      for (guint i = 0; i < G_N_ELEMENTS (places); i++)
        {
          g_autofree char *candidate = g_build_filename (dir, places[i], NULL);
          if (g_file_test (candidate, G_FILE_TEST_IS_EXECUTABLE) && !g_file_test (candidate, G_FILE_TEST_IS_DIR))
            return g_steal_pointer (&candidate);
        }
    }
  return g_find_program_in_path ("retro");
}

/* Copies of descriptors 0, 1 and 2, for another program to inherit.  */
static gboolean
copy_descriptors (int fds[3])
{
  for (int i = 0; i < 3; i++)
    if ((fds[i] = fcntl (i, F_DUPFD, 3)) < 0)
      {
        while (--i >= 0)
          close (fds[i]);
        return FALSE;
      }
  return TRUE;
}

static gboolean
connect_helper (GError **error)
{
  g_autofree char *helper = find_helper ();
  g_autofree char *quoted = NULL;
  g_autofree char *command = NULL;
  g_autoptr (Record) version = NULL;
  int fds[3];
  gboolean connected;

  if (helper == NULL)
    return bridge_fail (error, BRIDGE_ERROR_CONNECTION, "the program \"retro\" is not found");
  quoted = g_shell_quote (helper);
  if (copy_descriptors (fds))
    {
      command = g_strdup_printf ("exec %s serve --fds=%d,%d,%d", quoted, fds[0], fds[1], fds[2]);
      connected = bridge_connect (command, fds, G_N_ELEMENTS (fds), error);
      for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
        close (fds[i]);
    }
  else
    {
      /* Some are closed; then the program does without.  */
      command = g_strdup_printf ("exec %s serve", quoted);
      connected = bridge_connect (command, NULL, 0, error);
    }
  if (!connected)
    return FALSE;
  version = wire_ask (error, "qRetro:Version");
  if (version == NULL)
    {
      bridge_execute_quietly ("disconnect", NULL, NULL);
      return FALSE;
    }
  connected_by_us = TRUE;
  settings_send ();
  return TRUE;
}

/* Tell GDB's remote target the program to run, if the user has not.  */
static void
name_program (void)
{
  static char *last;
  g_autofree char *program = bridge_program ();
  g_autofree char *shown = NULL;
  g_autofree char *command = NULL;

  if (program == NULL || !bridge_execute_quietly ("show remote exec-file", &shown, NULL))
    return;
  g_strstrip (shown);
  if (*shown != '\0' && g_strcmp0 (shown, last) != 0)
    return;
  command = g_strdup_printf ("set remote exec-file %s", program);
  if (bridge_execute_quietly (command, NULL, NULL))
    {
      g_free (last);
      last = g_steal_pointer (&program);
    }
}

/* GDB asks before it ends a process for another one, but only after we have
   changed the target; so it is asked here.  */
static const struct
{
  const char *name, *question, *refusal;
} makers[] = {
  { "run", "The program being debugged has been started already.\nStart it from the beginning? ",
    "Program not restarted." },
  { "start", "The program being debugged has been started already.\nStart it from the beginning? ",
    "Program not restarted." },
  { "starti", "The program being debugged has been started already.\nStart it from the beginning? ",
    "Program not restarted." },
  { "attach", "A program is being debugged already.  Kill it? ", "Not killed." },
};

static gboolean
end_process (const char *name, gboolean from_tty, GError **error)
{
  guint i = 0;

  while (strcmp (makers[i].name, name) != 0)
    i++;
  return bridge_kill (from_tty ? makers[i].question : NULL, makers[i].refusal, error);
}

static gboolean
before_process (const char *name, const char *args, gboolean from_tty, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean record = strcmp (bridge_get_setting ("record"), "on") == 0;
  g_autofree char *command = g_strconcat (name, *args != '\0' ? " " : "", args, NULL);

  undo_begin (command);
  if (!bridge_is_remote ())
    connected_by_us = FALSE;
  if (bridge_has_process () && (record ? !bridge_is_remote () : connected_by_us)
      && !end_process (name, from_tty, error))
    return FALSE;
  if (!record)
    return !connected_by_us || bridge_execute_quietly ("disconnect", NULL, error);
  if (bridge_is_unconnected () && !connect_helper (&failure))
    {
      if (failure->code == BRIDGE_ERROR_QUIT)
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      bridge_warn ("The program is not recorded: %s", failure->message);
      return TRUE;
    }
  if (connected_by_us)
    name_program ();
  return TRUE;
}

static gboolean
before_disconnect (const char *name, const char *args, gboolean from_tty, GError **error)
{
  (void) name;
  (void) args;
  (void) from_tty;
  (void) error;
  connected_by_us = FALSE;
  return TRUE;
}

/* The process is gone: if the connection has gone first, so has the helper.  */
static void
gone (void)
{
  if (!connected_by_us || bridge_has_target ())
    return;
  connected_by_us = FALSE;
  bridge_warn ("Retro's helper has ended, and the recording with it.  \"run\" or \"attach\" starts another one.");
}

static const BridgeObserver observer = { NULL, NULL, gone, NULL };
static BridgeWrap wraps[G_N_ELEMENTS (makers)];
static const BridgeWrap disconnect = { "", "disconnect", before_disconnect, NULL };

void
connect_start (void)
{
  bridge_observe (&observer);
  bridge_wrap_command (&disconnect);
  for (guint i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      wraps[i] = (BridgeWrap){ "", makers[i].name, before_process, NULL };
      bridge_wrap_command (&wraps[i]);
    }
}
