/* The image: all of a process's memory at one point, as ops and contents.

   Which pages of a private file mapping the process has changed, pagemap
   tells: those present or swapped that are not the file's (bit 61 clear).
   Anonymous pages that are neither present nor swapped are zero.  Shared
   memory has contents whether present or not.

     /proc/PID/pagemap   one word per page: 63 present, 62 swapped, 61 file's

   Files are opened through map_files, which is exact but wants a
   privilege, or by the name in maps if that still is the same file.

   Of the special mappings, the vdso is copied, vvar is left out (a program
   without AT_SYSINFO_EHDR does not look there) and vsyscall lies in the
   kernel's half.  */

#include "sys/mapped.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAX_PIECE (1024 * 1024)
#define MAX_FIRST (256 * 1024)
#define PAGES_AT_ONCE 256
#define PM_PRESENT (G_GUINT64_CONSTANT (1) << 63)
#define PM_SWAPPED (G_GUINT64_CONSTANT (1) << 62)
#define PM_FILE (G_GUINT64_CONSTANT (1) << 61)

typedef struct
{
  const Task *task;
  Log *log;
  Event *event;    /* the image  */
  Event *current;  /* where contents go: the image, then one of MORE  */
  gsize filled;    /* bytes of contents in it  */
  GPtrArray *more;
  int pagemap_fd;
} Image;

static void
add_bytes (Image *image, Addr addr, const guint8 *data, gsize length)
{
  gsize limit = image->current == image->event ? MAX_FIRST : MAX_PIECE;

  if (image->filled + length > limit)
    {
      image->current = event_new (EV_MEMORY, image->event->thread);
      image->current->time = image->event->time;
      image->filled = 0;
      g_ptr_array_add (image->more, image->current);
    }
  event_add_write (image->current, addr, data, length);
  image->filled += length;
}

static gboolean
is_zero (const guint8 *data, gsize length)
{
  return data[0] == 0 && memcmp (data, data + 1, length - 1) == 0;
}

/* Add the pages of the COUNT at ADDR for which (pagemap & MASK) != 0 and
   (pagemap & NOT) == 0, as runs; zero pages only if KEEP_ZERO.  */
static gboolean
add_pages (Image *image, Addr addr, guint count, guint64 mask, guint64 not, gboolean keep_zero, GError **error)
{
  guint64 pm[PAGES_AT_ONCE];
  g_autofree guint8 *data = g_malloc (PAGES_AT_ONCE * PAGE_SIZE_);
  ssize_t want = (ssize_t) (count * sizeof *pm);

  if (mask != 0 && pread (image->pagemap_fd, pm, (size_t) want, (off_t) (addr / PAGE_SIZE_ * 8)) != want)
    return error_set_errno (error, "read pagemap");
  for (guint i = 0; i < count;)
    {
      guint n = 0;
      while (i + n < count && (mask == 0 || ((pm[i + n] & mask) && !(pm[i + n] & not))))
        n++;
      if (n == 0)
        {
          i++;
          continue;
        }
      Addr start = addr + i * PAGE_SIZE_;
      gsize got = task_read_some (image->task, start, data, n * PAGE_SIZE_) / PAGE_SIZE_;
      for (gsize k = 0; k < got;)
        {
          gsize run = 0;
          while (k + run < got && (keep_zero || !is_zero (data + (k + run) * PAGE_SIZE_, PAGE_SIZE_)))
            run++;
          if (run > 0)
            add_bytes (image, start + k * PAGE_SIZE_, data + k * PAGE_SIZE_, run * PAGE_SIZE_);
          k += MAX (run, 1);
        }
      i += MAX (got, 1);
    }
  return TRUE;
}

static gboolean
add_contents (Image *image, const MapsEntry *e, guint64 mask, guint64 not, gboolean keep_zero, GError **error)
{
  for (Addr at = e->start; at < e->end; at += PAGES_AT_ONCE * PAGE_SIZE_)
    {
      /* A mapping may have terabytes and next to nothing in them.  */
      if (mask != 0 && (at = space_next_present (image->pagemap_fd, at, e->end)) >= e->end)
        break;
      if (!add_pages (image, at, (guint) MIN ((e->end - at) / PAGE_SIZE_, PAGES_AT_ONCE), mask, not, keep_zero, error))
        return FALSE;
    }
  return TRUE;
}

/* Open the file behind E; -1 if it cannot be had.  */
static int
open_mapped (const Image *image, const MapsEntry *e)
{
  struct stat st;
  g_autofree char *exact = g_strdup_printf ("/proc/%d/map_files/%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x",
                                            image->task->tid, e->start, e->end);
  int fd = open (exact, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0)
    return fd;
  g_autofree char *named = g_strdup_printf ("/proc/%d/root%s", image->task->tid, e->name);
  fd = open (named, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0 && (fstat (fd, &st) != 0 || st.st_ino != e->inode))
    {
      close (fd);
      fd = -1;
    }
  return fd;
}

static gboolean
add_private_file (Image *image, const MapsEntry *e, MapOp *op, gboolean *done_ret, GError **error)
{
  int fd = open_mapped (image, e);

  *done_ret = FALSE;
  if (fd < 0)
    return TRUE;
  struct stat st;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    {
      op->offset = e->offset;
      if (!log_add_file (image->log, fd, e->name, &op->file, error))
        {
          close (fd);
          return FALSE;
        }
      event_add_op (image->event, op);
      *done_ret = TRUE;
    }
  close (fd);
  return !*done_ret || add_contents (image, e, PM_PRESENT | PM_SWAPPED, PM_FILE, TRUE, error);
}

/* The stack with all the room it can grow into.  */
static void
stretch_stack (const Image *image, const GArray *maps, guint i, MapOp *op)
{
  Addr end = op->addr + op->length;
  Addr floor = i > 0 ? g_array_index (maps, MapsEntry, i - 1).end : 0;

  op->flags |= MAP_STACK_;
  op->addr = sys_stack_start (image->task, op->addr, end, floor);
  op->length = end - op->addr;
}

static gboolean
is_left_out (const MapsEntry *e)
{
  return e->start >= USER_END || g_str_has_prefix (e->name, "[vvar") || strcmp (e->name, "[vsyscall]") == 0;
}

static gboolean
add_entry (Image *image, const GArray *maps, guint i, GError **error)
{
  const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
  gboolean is_file = e->inode != 0, done;
  MapOp op = {
    .kind = MAP_OP_MAP,
    .addr = e->start,
    .length = e->end - e->start,
    .prot = e->prot,
    .flags = e->shared ? MAP_SHARED_ : 0,
    .file = NO_FILE,
  };

  if (is_left_out (e))
    return TRUE;
  if (maps_is_alias (maps, e, &op.offset))
    op.flags |= MAP_ALIAS_;
  if (is_file && !e->shared)
    {
      if (!add_private_file (image, e, &op, &done, error) || done)
        return done;
      op.flags |= MAP_SHARED_; /* contents come from elsewhere  */
    }
  gboolean special = strcmp (e->name, "[vdso]") == 0;
  if (special)
    op.flags |= MAP_SPECIAL_;
  if (strcmp (e->name, "[stack]") == 0)
    stretch_stack (image, maps, i, &op);
  event_add_op (image->event, &op);
  if (is_file || special)
    return add_contents (image, e, 0, 0, FALSE, error);
  return add_contents (image, e, PM_PRESENT | PM_SWAPPED, 0, FALSE, error);
}

gboolean
sys_image (const Task *task, pid_t pid, Log *log, Event *event, GPtrArray *more, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/pagemap", pid);
  Image image = { .task = task, .log = log, .event = event, .current = event, .more = more };
  g_autoptr (GArray) maps = maps_read (task->tid, error);
  gboolean ok = TRUE;

  if (maps == NULL)
    return FALSE;
  image.pagemap_fd = open (path, O_RDONLY | O_CLOEXEC);
  if (image.pagemap_fd < 0)
    return error_set_errno (error, "open %s", path);
  for (guint i = 0; i < maps->len && ok; i++)
    ok = add_entry (&image, maps, i, error);
  close (image.pagemap_fd);
  return ok;
}
