/* vFile: GDB reads files of the machine where the program runs.

   Three kinds of files are made up here:

     /proc/PID/...   of a moment, not of the frozen process: maps and smaps
                     from the session
     mapped files    as they were when the program mapped them, from the
                     recording, so that symbols are right after a rebuild
     anything else   the host's

   Descriptors given to GDB are real ones of ours; they are kept in a
   table, so that GDB cannot close or write what it did not open.  */

#include "rsp/server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct _HostFiles
{
  GHashTable *open; /* set of descriptors  */
};

HostFiles *
host_files_new (void)
{
  HostFiles *files = g_new0 (HostFiles, 1);

  files->open = g_hash_table_new (NULL, NULL);
  return files;
}

void
host_files_free (HostFiles *files)
{
  GHashTableIter iter;
  gpointer fd;

  g_hash_table_iter_init (&iter, files->open);
  while (g_hash_table_iter_next (&iter, &fd, NULL))
    close (GPOINTER_TO_INT (fd));
  g_hash_table_unref (files->open);
  g_free (files);
}

/* ---- Numbers of the protocol ---- */

/* Host errno to the protocol's.  */
static int
file_error (int host)
{
  static const struct
  {
    int host, file;
  } errors[] = {
    { EPERM, 1 },    { ENOENT, 2 },  { EINTR, 4 },   { EIO, 5 },     { EBADF, 9 },   { EACCES, 13 }, { EFAULT, 14 },
    { EBUSY, 16 },   { EEXIST, 17 }, { ENODEV, 19 }, { ENOTDIR, 20 }, { EISDIR, 21 }, { EINVAL, 22 }, { ENFILE, 23 },
    { EMFILE, 24 },  { EFBIG, 27 },  { ENOSPC, 28 }, { ESPIPE, 29 }, { EROFS, 30 },  { ENOSYS, 88 }, { ENAMETOOLONG, 91 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    if (errors[i].host == host)
      return errors[i].file;
  return 9999;
}

static void
reply_file_error (GString *out, int host_errno)
{
  g_string_printf (out, "F-1,%x", file_error (host_errno));
}

static int
open_flags (guint64 flags)
{
  static const struct
  {
    guint file;
    int host;
  } bits[] = { { 1, O_WRONLY }, { 2, O_RDWR }, { 8, O_APPEND }, { 0x200, O_CREAT }, { 0x400, O_TRUNC }, { 0x800, O_EXCL } };
  int host = O_CLOEXEC | O_NOCTTY;

  for (gsize i = 0; i < G_N_ELEMENTS (bits); i++)
    if (flags & bits[i].file)
      host |= bits[i].host;
  return host;
}

/* ---- Files that are made up ---- */

static int
open_text (const char *text)
{
  int fd = memfd_create ("retro-file", MFD_CLOEXEC);

  if (fd >= 0 && pwrite (fd, text, strlen (text), 0) != (ssize_t) strlen (text))
    {
      close (fd);
      errno = EIO;
      return -1;
    }
  return fd;
}

static int
open_maps (Server *server)
{
  g_autofree char *maps = session_maps (server->session);

  return open_text (maps != NULL ? maps : "");
}

/* What GDB's generate-core-file wants to know of each mapping: its size, that
   it is dirty, and no flag against dumping.  */
static int
open_smaps (Server *server)
{
  g_autofree char *maps = session_maps (server->session);
  g_auto (GStrv) lines = g_strsplit (maps != NULL ? maps : "", "\n", -1);
  g_autoptr (GString) smaps = g_string_new (NULL);

  for (char **line = lines; *line != NULL; line++)
    {
      unsigned long start, end;
      char r, w, x;

      if (sscanf (*line, "%lx-%lx %c%c%c", &start, &end, &r, &w, &x) != 5)
        continue;
      g_string_append_printf (smaps, "%s\nSize: %lu kB\nRss: %lu kB\nPrivate_Dirty: %lu kB\nReferenced: %lu kB\n", *line,
                              (end - start) / 1024, (end - start) / 1024, (end - start) / 1024, (end - start) / 1024);
      g_string_append_printf (smaps, "Anonymous: %lu kB\nSwap: 0 kB\nVmFlags:%s%s%s mr mw me\n", (end - start) / 1024,
                              r == 'r' ? " rd" : "", w == 'w' ? " wr" : "", x == 'x' ? " ex" : "");
    }
  return open_text (smaps->str);
}

static int
open_cmdline (Server *server)
{
  const Log *log = session_log (server->session);
  const LogHeader *header = log != NULL ? log_header (log) : NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  int fd = memfd_create ("retro-file", MFD_CLOEXEC);

  for (char **arg = header != NULL ? header->argv : NULL; arg != NULL && *arg != NULL; arg++)
    g_byte_array_append (bytes, (const guint8 *) *arg, (guint) strlen (*arg) + 1);
  if (fd >= 0 && bytes->len > 0 && pwrite (fd, bytes->data, bytes->len, 0) < 0)
    errno = 0; /* an empty file then  */
  return fd;
}

static const struct
{
  const char *name;
  int (*open) (Server *server);
} proc_files[] = { { "maps", open_maps }, { "smaps", open_smaps }, { "cmdline", open_cmdline } };

/* NAME behind "/proc/PID/" or "/proc/PID/task/TID/", or NULL.  */
static const char *
proc_name (Server *server, const char *path)
{
  char prefix[40];
  const char *name;

  if (server->session == NULL)
    return NULL;
  g_snprintf (prefix, sizeof prefix, "/proc/%d/", (int) session_pid (server->session));
  if (!g_str_has_prefix (path, prefix))
    return NULL;
  name = path + strlen (prefix);
  if (g_str_has_prefix (name, "task/") && (name = strchr (name + 5, '/')) != NULL)
    name++;
  return name;
}

/* The stored copy of the file that the program mapped as PATH.  */
static char *
stored_copy (Server *server, const char *path)
{
  const Log *log = server->session != NULL ? session_log (server->session) : NULL;

  for (guint32 i = 0; log != NULL && i < log_n_files (log); i++)
    if (g_strcmp0 (log_file_name (log, i), path) == 0)
      {
        char *copy = log_file_path (log, i);

        if (access (copy, R_OK) == 0)
          return copy;
        g_free (copy);
      }
  return NULL;
}

static int
open_file (Server *server, const char *path, guint64 flags, mode_t mode)
{
  const char *proc = proc_name (server, path);

  if ((flags & 3) == 0)
    {
      g_autofree char *copy = stored_copy (server, path);

      for (gsize i = 0; proc != NULL && i < G_N_ELEMENTS (proc_files); i++)
        if (g_str_equal (proc, proc_files[i].name))
          return proc_files[i].open (server);
      if (copy != NULL)
        return open (copy, O_RDONLY | O_CLOEXEC);
    }
  return open (path, open_flags (flags), mode & 0777);
}

/* ---- Packets ---- */

static gboolean
take_fd (Server *server, Text *args, int *fd_ret)
{
  gint64 fd = text_signed_hex (args);

  *fd_ret = (int) fd;
  return !args->failed && fd >= 0 && fd <= G_MAXINT32
         && g_hash_table_contains (server->files->open, GINT_TO_POINTER ((int) fd));
}

/* Which process's name space: there is one.  */
static void
handle_setfs (Server *server G_GNUC_UNUSED, Text *args, GString *out)
{
  text_hex (args);
  if (text_done (args))
    g_string_assign (out, "F0");
  else
    reply_malformed (out);
}

static void
handle_open (Server *server, Text *args, GString *out)
{
  g_autofree char *path = text_hex_string (args);
  guint64 flags, mode;
  int fd;

  text_expect (args, ',');
  flags = text_hex (args);
  text_expect (args, ',');
  mode = text_hex (args);
  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  fd = open_file (server, path, flags, (mode_t) mode);
  if (fd < 0)
    {
      reply_file_error (out, errno);
      return;
    }
  g_hash_table_add (server->files->open, GINT_TO_POINTER (fd));
  g_string_printf (out, "F%x", (guint) fd);
}

static void
handle_close (Server *server, Text *args, GString *out)
{
  int fd;

  if (!take_fd (server, args, &fd) || !text_done (args))
    {
      reply_file_error (out, EBADF);
      return;
    }
  g_hash_table_remove (server->files->open, GINT_TO_POINTER (fd));
  close (fd);
  g_string_assign (out, "F0");
}

static void
reply_data (GString *out, const char *data, gsize length)
{
  g_autoptr (GString) escaped = g_string_new (NULL);
  gsize taken = put_binary (escaped, data, length, WIRE_PACKET_SIZE - 32);

  g_string_printf (out, "F%" G_GSIZE_MODIFIER "x;", taken);
  g_string_append_len (out, escaped->str, (gssize) escaped->len);
}

static void
handle_pread (Server *server, Text *args, GString *out)
{
  g_autofree char *buffer = NULL;
  guint64 count, offset;
  int fd;
  gboolean known = take_fd (server, args, &fd);
  ssize_t n;

  text_expect (args, ',');
  count = text_hex (args);
  text_expect (args, ',');
  offset = text_hex (args);
  if (!known || !text_done (args) || offset > G_MAXINT64)
    {
      reply_file_error (out, known ? EINVAL : EBADF);
      return;
    }
  count = MIN (count, WIRE_PACKET_SIZE);
  buffer = g_malloc (count + 1);
  n = pread (fd, buffer, count, (off_t) offset);
  if (n < 0)
    reply_file_error (out, errno);
  else
    reply_data (out, buffer, (gsize) n);
}

static void
handle_pwrite (Server *server, Text *args, GString *out)
{
  int fd;
  gboolean known = take_fd (server, args, &fd);
  guint64 offset;
  const char *data;
  gsize length;
  ssize_t n;

  text_expect (args, ',');
  offset = text_hex (args);
  text_expect (args, ',');
  data = text_rest (args, &length);
  if (!known || args->failed || offset > G_MAXINT64)
    {
      reply_file_error (out, known ? EINVAL : EBADF);
      return;
    }
  n = pwrite (fd, data, length, (off_t) offset);
  if (n < 0)
    reply_file_error (out, errno);
  else
    g_string_printf (out, "F%" G_GSIZE_MODIFIER "x", (gsize) n);
}

static void
put_big_endian (guint8 *to, guint64 value, gsize size)
{
  while (size > 0)
    {
      to[--size] = (guint8) value;
      value >>= 8;
    }
}

/* The protocol's struct stat: big-endian, 64 bytes.  */
static void
handle_fstat (Server *server, Text *args, GString *out)
{
  guint8 packed[64];
  struct stat st;
  int fd;

  if (!take_fd (server, args, &fd) || !text_done (args))
    {
      reply_file_error (out, EBADF);
      return;
    }
  if (fstat (fd, &st) != 0)
    {
      reply_file_error (out, errno);
      return;
    }
  put_big_endian (packed, st.st_dev, 4);
  put_big_endian (packed + 4, st.st_ino, 4);
  put_big_endian (packed + 8, st.st_mode, 4);
  put_big_endian (packed + 12, st.st_nlink, 4);
  put_big_endian (packed + 16, st.st_uid, 4);
  put_big_endian (packed + 20, st.st_gid, 4);
  put_big_endian (packed + 24, st.st_rdev, 4);
  put_big_endian (packed + 28, (guint64) st.st_size, 8);
  put_big_endian (packed + 36, (guint64) st.st_blksize, 8);
  put_big_endian (packed + 44, (guint64) st.st_blocks, 8);
  put_big_endian (packed + 52, (guint64) st.st_atime, 4);
  put_big_endian (packed + 56, (guint64) st.st_mtime, 4);
  put_big_endian (packed + 60, (guint64) st.st_ctime, 4);
  reply_data (out, (const char *) packed, sizeof packed);
}

static void
handle_unlink (Server *server G_GNUC_UNUSED, Text *args, GString *out)
{
  g_autofree char *path = text_hex_string (args);

  if (!text_done (args))
    reply_malformed (out);
  else if (unlink (path) != 0)
    reply_file_error (out, errno);
  else
    g_string_assign (out, "F0");
}

static void
handle_readlink (Server *server, Text *args, GString *out)
{
  g_autofree char *path = text_hex_string (args);
  const char *proc = proc_name (server, path);
  char target[4096];
  ssize_t n;

  if (!text_done (args))
    {
      reply_malformed (out);
      return;
    }
  if (proc != NULL && g_str_equal (proc, "exe"))
    {
      g_autofree char *exe = session_exec_file (server->session);

      reply_data (out, exe, strlen (exe));
      return;
    }
  n = readlink (path, target, sizeof target);
  if (n < 0)
    reply_file_error (out, errno);
  else
    reply_data (out, target, (gsize) n);
}

const PacketRow file_packets[] = {
  { "vFile:setfs:", 0, handle_setfs },   { "vFile:open:", 0, handle_open },     { "vFile:close:", 0, handle_close },
  { "vFile:pread:", 0, handle_pread },   { "vFile:pwrite:", 0, handle_pwrite }, { "vFile:fstat:", 0, handle_fstat },
  { "vFile:unlink:", 0, handle_unlink }, { "vFile:readlink:", 0, handle_readlink },
  { NULL, 0, NULL },
};
