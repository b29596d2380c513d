/* The directories of paths.h.

   Several recorders may start at once: mkdir decides who gets a number,
   and `latest' is replaced by renaming a new link over it.  */

#include "base/paths.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBERS 1000000

char *
paths_data_dir (void)
{
  return g_build_filename (g_get_user_data_dir (), "retro", NULL);
}

char *
paths_default_recording (void)
{
  return g_build_filename (g_get_user_data_dir (), "retro", "latest", NULL);
}

/* The number to try first: one above the highest of NAME-N in DIR.  */
static int
next_number (const char *dir, const char *name)
{
  g_autoptr (GDir) entries = g_dir_open (dir, 0, NULL);
  g_autofree char *prefix = g_strconcat (name, "-", NULL);
  const char *entry;
  int next = 0;

  while (entries != NULL && (entry = g_dir_read_name (entries)) != NULL)
    if (g_str_has_prefix (entry, prefix))
      {
        const char *digits = entry + strlen (prefix);
        guint64 number;

        if (g_ascii_string_to_unsigned (digits, 10, 0, NUMBERS, &number, NULL))
          next = MAX (next, (int) number + 1);
      }
  return next;
}

static gboolean
update_latest (const char *data_dir, const char *name, GError **error)
{
  g_autofree char *latest = g_build_filename (data_dir, "latest", NULL);
  g_autofree char *temp = g_strdup_printf ("%s.tmp-%d", latest, (int) getpid ());

  unlink (temp);
  if (symlink (name, temp) != 0 || rename (temp, latest) != 0)
    {
      error_set_errno (error, "cannot create %s", latest);
      unlink (temp);
      return FALSE;
    }
  return TRUE;
}

char *
paths_new_recording (const char *program, GError **error)
{
  g_autofree char *data_dir = paths_data_dir ();
  g_autofree char *base = g_path_get_basename (program);

  if (g_mkdir_with_parents (data_dir, 0700) != 0)
    {
      error_set_errno (error, "cannot create %s", data_dir);
      return NULL;
    }
  for (int n = next_number (data_dir, base); n < NUMBERS; n++)
    {
      g_autofree char *name = g_strdup_printf ("%s-%d", base, n);
      g_autofree char *dir = g_build_filename (data_dir, name, NULL);

      if (mkdir (dir, 0700) == 0)
        {
          if (update_latest (data_dir, name, error))
            return g_steal_pointer (&dir);
          rmdir (dir);
          return NULL;
        }
      if (errno != EEXIST)
        {
          error_set_errno (error, "cannot create %s", dir);
          return NULL;
        }
    }
  error_set (error, RETRO_ERROR_LIMIT, "too many recordings of %s in %s", base, data_dir);
  return NULL;
}
