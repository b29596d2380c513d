/* Start GDB: see cmd/launch.h.

   The GDB with the extension is found beside the program as built
   (build/gdb) or as installed (lib/retro/gdb); $RETRO_GDB and $RETRO_SO
   override.  $GDB names the stock one.  */

#include "cmd/launch.h"

#include "base/error.h"

#include <fcntl.h>
#include <unistd.h>

/* The first of NAMES, relative to the program's directory, that exists.  */
static char *
find_beside (const char *const *names)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *dir = self != NULL ? g_path_get_dirname (self) : NULL;

  for (; dir != NULL && *names != NULL; names++)
    {
      char *path = g_build_filename (dir, *names, NULL);

      if (access (path, R_OK) == 0)
        return path;
      g_free (path);
    }
  return NULL;
}

static char *
find_gdb (gboolean stock, GError **error)
{
  static const char *const names[] = { "gdb/bin/gdb", "../lib/retro/gdb/bin/gdb", NULL };
  const char *set = g_getenv (stock ? "GDB" : "RETRO_GDB");
  char *found;

  if (set != NULL && *set != '\0')
    return g_strdup (set);
  found = stock ? g_find_program_in_path ("gdb") : find_beside (names);
  if (found == NULL)
    error_set (error, RETRO_ERROR_USAGE,
               stock ? "gdb is not installed"
                     : "the GDB with the extension has not been built; use --stock, or set RETRO_GDB");
  return found;
}

static char *
find_extension (void)
{
  static const char *const names[] = { "retro.so", "../lib/retro/retro.so", NULL };
  const char *set = g_getenv ("RETRO_SO");

  return set != NULL && *set != '\0' ? g_strdup (set) : find_beside (names);
}

/* Our own descriptors again, inherited by GDB and its children.  */
static char *
pass_descriptors (void)
{
  int fds[3];

  for (int i = 0; i < 3; i++)
    if ((fds[i] = fcntl (i, F_DUPFD, 40)) < 0)
      return NULL;
  return g_strdup_printf ("--fds=%d,%d,%d", fds[0], fds[1], fds[2]);
}

static void
add_option (GPtrArray *argv, const char *option, const char *value)
{
  g_ptr_array_add (argv, g_strdup (option));
  g_ptr_array_add (argv, g_strdup (value));
}

gboolean
launch_gdb (const Launch *launch, GError **error)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *quoted = g_shell_quote (self != NULL ? self : "retro");
  g_autofree char *gdb = find_gdb (launch->stock, error);
  g_autofree char *extension = launch->stock ? NULL : find_extension ();
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);

  if (gdb == NULL)
    return FALSE;
  g_ptr_array_add (argv, g_strdup (gdb));
  for (guint i = 0; launch->early != NULL && i < launch->early->len; i++)
    add_option (argv, "-iex", g_ptr_array_index (launch->early, i));
  if (extension != NULL)
    {
      g_autofree char *load = g_strdup_printf ("jit-reader-load %s", extension);

      add_option (argv, "-iex", load);
    }
  if (extension == NULL || launch->serve != NULL)
    {
      g_autofree char *fds = pass_descriptors ();
      g_autofree char *target
        = g_strdup_printf ("target extended-remote | exec %s serve %s %s", quoted, fds != NULL ? fds : "",
                           launch->serve != NULL ? launch->serve : "");

      add_option (argv, "-ex", target);
    }
  for (guint i = 0; launch->commands != NULL && i < launch->commands->len; i++)
    add_option (argv, "-ex", g_ptr_array_index (launch->commands, i));
  for (char **arg = launch->arguments; arg != NULL && *arg != NULL; arg++)
    g_ptr_array_add (argv, g_strdup (*arg));
  g_ptr_array_add (argv, NULL);
  execvp (gdb, (char **) argv->pdata);
  return error_set_errno (error, "%s", gdb);
}
