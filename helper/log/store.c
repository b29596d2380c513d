/* The store of files that recordings share:

     $XDG_DATA_HOME/retro/files/KEY     KEY tells contents by device, inode,
     DIR/files/N  (hard link)           size and times

   Entries appear whole or not at all (written under another name, then
   renamed), are never changed, and are garbage when nothing else links to
   them: recordings that add to the store remove those that have been so
   for a week, and what killed recorders left.  Losing an entry costs no
   more than a copy.  A file that changed within the last moments is not shared: the
   kernel's time stamps are as coarse as its tick, so a second change might
   leave the same key.  Changes through shared mappings leave their trace
   in the time stamps late; the program's own are the recorder's to log.  */

#include "base/error.h"
#include "log/log-private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SETTLE_NS 20000000ll
/* A time stamp of whole seconds comes from a file system that has no
   better ones (or is of this kind by chance).  */
#define SETTLE_COARSE_NS 2100000000ll
#define COPY_BLOCK (1u << 20)

static gint64
nanoseconds (const struct timespec *t)
{
  return t->tv_sec * 1000000000ll + t->tv_nsec;
}

char *
store_key (int fd, gboolean *settled_ret, guint64 *size_ret, GError **error)
{
  struct timespec now;
  struct stat st;
  gint64 settle;

  clock_gettime (CLOCK_REALTIME, &now);
  if (fstat (fd, &st) != 0)
    {
      error_set_errno (error, "cannot look at it");
      return NULL;
    }
  if (!S_ISREG (st.st_mode))
    {
      error_set (error, RETRO_ERROR_FAILED, "not a regular file");
      return NULL;
    }
  settle = st.st_ctim.tv_nsec == 0 ? SETTLE_COARSE_NS : SETTLE_NS;
  *settled_ret = nanoseconds (&now) - nanoseconds (&st.st_ctim) > settle;
  *size_ret = (guint64) st.st_size;
  return g_strdup_printf ("%lx-%lx-%lx-%llx-%llx", (long) st.st_dev, (long) st.st_ino, (long) st.st_size,
                          (long long) nanoseconds (&st.st_mtim), (long long) nanoseconds (&st.st_ctim));
}

static gboolean
copy_by_hand (int from, int to, gint64 offset)
{
  g_autofree guint8 *buffer = g_malloc (COPY_BLOCK);

  for (;;)
    {
      gssize got = pread (from, buffer, COPY_BLOCK, offset);

      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return got == 0;
      for (gssize done = 0, n; done < got; done += n)
        {
          n = pwrite (to, buffer + done, (gsize) (got - done), offset + done);
          if (n < 0 && errno == EINTR)
            n = 0;
          if (n < 0)
            return FALSE;
        }
      offset += got;
    }
}

/* All of FROM into the empty file TO, sharing blocks if the file system
   can.  FALSE with errno.  */
static gboolean
copy_contents (int from, int to)
{
  gint64 in = 0, out = 0;

  if (ioctl (to, FICLONE, from) == 0)
    return TRUE;
  for (;;)
    {
      gssize n = copy_file_range (from, &in, to, &out, 1u << 30, 0);

      if (n > 0 || (n < 0 && errno == EINTR))
        continue;
      /* Some file systems cannot, and say 0 or an error.  */
      return copy_by_hand (from, to, out);
    }
}

/* Copy FROM to the new file PATH, by way of TEMP, so that PATH is whole.  */
static gboolean
copy_file (int from, const char *path, GError **error)
{
  g_autofree char *temp = g_strdup_printf ("%s.tmp-XXXXXX", path);
  int to = g_mkstemp_full (temp, O_RDWR | O_CLOEXEC, 0600);
  gboolean ok;

  if (to < 0)
    return error_set_errno (error, "cannot create %s", temp);
  ok = copy_contents (from, to) && fchmod (to, 0400) == 0;
  ok = close (to) == 0 && ok;
  if (!ok)
    {
      if (errno == ENOSPC || errno == EDQUOT)
        error_set (error, RETRO_ERROR_LIMIT, "disk full while writing %s", path);
      else
        error_set_errno (error, "cannot copy to %s", temp);
      unlink (temp);
      return FALSE;
    }
  if (rename (temp, path) != 0)
    {
      error_set_errno (error, "cannot create %s", path);
      unlink (temp);
      return FALSE;
    }
  return TRUE;
}

gboolean
store_put (const char *store, const char *key, int fd, const char *path, gboolean *new_ret, GError **error)
{
  g_autofree char *entry = NULL;

  *new_ret = FALSE;
  if (key == NULL || store[0] == '\0')
    return copy_file (fd, path, error);
  entry = g_build_filename (store, key, NULL);
  if (link (entry, path) == 0)
    return TRUE;
  if (errno == ENOENT && copy_file (fd, entry, NULL))
    {
      *new_ret = TRUE;
      if (link (entry, path) == 0)
        return TRUE;
    }
  return copy_file (fd, path, error);
}

void
store_prune (const char *store, gint64 seconds)
{
  g_autoptr (GDir) dir = g_dir_open (store, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *entry = g_build_filename (store, name, NULL);
      struct stat st;

      if (lstat (entry, &st) == 0 && S_ISREG (st.st_mode) && st.st_nlink == 1
          && time (NULL) - st.st_ctime >= seconds)
        unlink (entry);
    }
}
