/* The GDB at the other end: see rsp/client.h.

   GDB maps or keeps open the program that it has read symbols of; else
   the program is on its command line.  A shell may stand between us.  */

#include "rsp/client.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANCESTORS 4

/* Is PATH an executable, and not a library or debug information alone?  */
static gboolean
is_program (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  gboolean found = FALSE;
  struct stat st;
  Elf64_Ehdr ehdr;

  if (fd < 0)
    return FALSE;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && (st.st_mode & 0111) != 0
      && pread (fd, &ehdr, sizeof ehdr, 0) == (ssize_t) sizeof ehdr && memcmp (ehdr.e_ident, ELFMAG, SELFMAG) == 0
      && ehdr.e_machine == EM_X86_64)
    {
      found = ehdr.e_type == ET_EXEC;
      for (int i = 0; ehdr.e_type == ET_DYN && i < ehdr.e_phnum && !found; i++)
        {
          Elf64_Phdr phdr;

          found = pread (fd, &phdr, sizeof phdr, (off_t) (ehdr.e_phoff + (guint64) i * sizeof phdr))
                    == (ssize_t) sizeof phdr
                  && phdr.p_type == PT_INTERP;
        }
    }
  close (fd);
  return found;
}

static pid_t
parent_of (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid);
  g_autofree char *text = NULL;
  const char *paren;
  char state;
  int parent = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL) || (paren = strrchr (text, ')')) == NULL
      || sscanf (paren + 1, " %c %d", &state, &parent) != 2)
    return 0;
  return parent;
}

static gboolean
is_gdb (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/exe", (int) pid);
  g_autofree char *exe = g_file_read_link (path, NULL);

  return exe != NULL && strstr (exe, "gdb") != NULL;
}

/* PATH if it is a program that is not GDB itself.  */
static char *
consider (const char *path, const char *gdb)
{
  if (path == NULL || path[0] != '/' || g_strcmp0 (path, gdb) == 0 || strstr (path, ".so") != NULL || !is_program (path))
    return NULL;
  return g_strdup (path);
}

static char *
find_open_file (pid_t pid, const char *gdb)
{
  g_autofree char *name = g_strdup_printf ("/proc/%d/fd", (int) pid);
  g_autoptr (GDir) dir = g_dir_open (name, 0, NULL);
  const char *entry;
  char *found = NULL;

  while (found == NULL && dir != NULL && (entry = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *link = g_build_filename (name, entry, NULL);
      g_autofree char *path = g_file_read_link (link, NULL);

      found = consider (path, gdb);
    }
  return found;
}

/* Is OPTION one of GDB's that the next argument belongs to (and is not a
   program)?  */
static gboolean
takes_value (const char *option)
{
  static const char *const names[] = {
    "x", "ex", "ix", "iex", "command", "eval-command", "init-command", "init-eval-command", "c", "core", "p", "pid",
    "d", "directory", "D", "data-directory", "cd", "l", "b", "tty", "i", "interpreter", "ui", "s", "symbols", NULL,
  };

  if (*option != '-')
    return FALSE;
  return g_strv_contains (names, option + strspn (option, "-"));
}

/* The program that ARG means to GDB, which looks in PATH, too.  */
static char *
find_program (const char *arg, const char *cwd, const char *gdb)
{
  g_autofree char *here = g_canonicalize_filename (arg, cwd);
  g_autofree char *in_path = strchr (arg, '/') == NULL ? g_find_program_in_path (arg) : NULL;
  char *found = consider (here, gdb);

  return found != NULL ? found : consider (in_path, gdb);
}

static char *
find_argument (pid_t pid, const char *gdb)
{
  g_autofree char *cmdline = g_strdup_printf ("/proc/%d/cmdline", (int) pid);
  g_autofree char *cwd_link = g_strdup_printf ("/proc/%d/cwd", (int) pid);
  g_autofree char *cwd = g_file_read_link (cwd_link, NULL);
  g_autofree char *text = NULL;
  char *found = NULL;
  gsize length;

  if (cwd == NULL || !g_file_get_contents (cmdline, &text, &length, NULL))
    return NULL;
  for (const char *arg = text + strlen (text) + 1; arg < text + length && found == NULL; arg += strlen (arg) + 1)
    if (takes_value (arg))
      arg += strlen (arg) + 1;
    else if (*arg != '-')
      found = find_program (arg, cwd, gdb);
  return found;
}

static char *
find_mapped_file (pid_t pid, const char *gdb)
{
  g_autofree char *name = g_strdup_printf ("/proc/%d/maps", (int) pid);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  char *found = NULL;

  if (!g_file_get_contents (name, &text, NULL, NULL))
    return NULL;
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL && found == NULL; line++)
    found = consider (strchr (*line, '/'), gdb);
  return found;
}

char *
client_program (void)
{
  pid_t pid = getppid ();

  for (int i = 0; i < ANCESTORS && pid > 1; i++, pid = parent_of (pid))
    if (is_gdb (pid))
      {
        g_autofree char *link = g_strdup_printf ("/proc/%d/exe", (int) pid);
        g_autofree char *gdb = g_file_read_link (link, NULL);
        char *found = find_open_file (pid, gdb);

        found = found != NULL ? found : find_mapped_file (pid, gdb);
        return found != NULL ? found : find_argument (pid, gdb);
      }
  return NULL;
}
