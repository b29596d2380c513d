/* Redirections: see rsp/redirect.h.  */

#include "rsp/redirect.h"

#include "base/error.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct
{
  const char *sign; /* longer ones first  */
  int fd;
  int flags;
  gboolean both;    /* standard error as well  */
} signs[] = {
  { "2>>", 2, O_WRONLY | O_CREAT | O_APPEND, FALSE }, { "1>>", 1, O_WRONLY | O_CREAT | O_APPEND, FALSE },
  { "&>", 1, O_WRONLY | O_CREAT | O_TRUNC, TRUE },    { ">&", 1, O_WRONLY | O_CREAT | O_TRUNC, TRUE },
  { ">>", 1, O_WRONLY | O_CREAT | O_APPEND, FALSE },  { "2>", 2, O_WRONLY | O_CREAT | O_TRUNC, FALSE },
  { "1>", 1, O_WRONLY | O_CREAT | O_TRUNC, FALSE },   { "0<", 0, O_RDONLY, FALSE },
  { ">|", 1, O_WRONLY | O_CREAT | O_TRUNC, FALSE },   { ">", 1, O_WRONLY | O_CREAT | O_TRUNC, FALSE },
  { "<", 0, O_RDONLY, FALSE },
};

void
redirect_init (Redirect *redirect, const char *cwd)
{
  redirect->cwd = cwd;
  for (int i = 0; i < 3; i++)
    redirect->saved[i] = -1;
}

/* FROM becomes descriptor FD.  */
static void
replace (Redirect *redirect, int fd, int from)
{
  if (redirect->saved[fd] < 0)
    redirect->saved[fd] = fcntl (fd, F_DUPFD_CLOEXEC, 10);
  dup2 (from, fd);
}

int
redirect_parse (Redirect *redirect, char **args, GError **error)
{
  const char *name;
  g_autofree char *path = NULL;
  gsize i;
  int fd;

  if (g_str_equal (args[0], "2>&1") || g_str_equal (args[0], "1>&2") || g_str_equal (args[0], ">&2"))
    {
      replace (redirect, args[0][0] == '2' ? 2 : 1, args[0][0] == '2' ? 1 : 2);
      return 1;
    }
  for (i = 0; i < G_N_ELEMENTS (signs); i++)
    if (g_str_has_prefix (args[0], signs[i].sign))
      break;
  if (i == G_N_ELEMENTS (signs))
    return 0;
  name = args[0] + strlen (signs[i].sign);
  if (*name == '\0' && (name = args[1]) == NULL)
    {
      error_set (error, RETRO_ERROR_USAGE, "no file name after %s", args[0]);
      return -1;
    }
  path = g_path_is_absolute (name) || redirect->cwd == NULL ? g_strdup (name)
                                                           : g_build_filename (redirect->cwd, name, NULL);
  fd = open (path, signs[i].flags | O_CLOEXEC | O_NOCTTY, 0666);
  if (fd < 0)
    {
      error_set_errno (error, "%s", path);
      return -1;
    }
  replace (redirect, signs[i].fd, fd);
  if (signs[i].both)
    replace (redirect, 2, fd);
  close (fd);
  return name == args[1] ? 2 : 1;
}

void
redirect_end (Redirect *redirect)
{
  for (int fd = 0; fd < 3; fd++)
    if (redirect->saved[fd] >= 0)
      {
        dup2 (redirect->saved[fd], fd);
        close (redirect->saved[fd]);
        redirect->saved[fd] = -1;
      }
}
