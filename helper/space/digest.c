/* Digest of the memory that a program can have changed (see space.h).

   Record and replay must agree although different pages happen to be
   present: the live program shares file pages that the replay has as
   private copies, read faults map zero pages and neighbours of file
   pages, and a replay leaves copies of code pages where a breakpoint
   was.  So only contents count, and which pages are looked at follows
   from the model:

     private anonymous    present or swapped pages that are not all zero
     shared anonymous     the same
     private file         pages that were copied (present and no file page)
                          and differ from the file
     shared file          every page with contents, present or not (when
                          writable or at most SHARED_MAX)
     aliased              every page, present at this address or not
     special (vdso)       nothing

   Which pages are present comes from the ioctl PAGEMAP_SCAN (Linux 6.7),
   which skips holes, or from reading /proc/PID/pagemap: 8 bytes a page,
   bit 63 present, 62 swapped, 61 file page or shared anonymous memory.
   Neither wants privileges.  Contents come through /proc/PID/mem.  */

#include "base/error.h"
#include "base/hash.h"
#include "space/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define RUN_PAGES 256
#define SHARED_MAX (64ul << 20)

#define PM_PRESENT (1ull << 63)
#define PM_SWAPPED (1ull << 62)
#define PM_FILE (1ull << 61)

/* From linux/fs.h of Linux 6.7.  */
struct scan_region
{
  guint64 start, end, categories;
};
struct scan_arg
{
  guint64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
  guint64 category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN_IOCTL _IOWR ('f', 16, struct scan_arg)
#define SCAN_FILE (1u << 2)
#define SCAN_PRESENT (1u << 3)
#define SCAN_SWAPPED (1u << 4)

typedef struct
{
  const Space *space;
  const Task *task;
  SpaceFunc func;
  gpointer user;
  int pagemap;
  gboolean no_scan; /* the kernel lacks PAGEMAP_SCAN  */
  const Mapping *map;
  int file;         /* the stored file of `map' or -1  */
  guint8 *buffer;   /* RUN_PAGES  */
  guint8 *original; /* RUN_PAGES, of the file  */
} Walk;

static gboolean
page_is_zero (const guint8 *page)
{
  const guint64 *words = (const guint64 *) (gconstpointer) page;
  guint64 any = 0;

  for (gsize i = 0; i < PAGE_SIZE_ / 8 && any == 0; i += 64)
    for (gsize j = 0; j < 64; j++)
      any |= words[i + j];
  return any == 0;
}

/* Is page I of the run at ADDR part of the digest?  */
static gboolean
page_counts (const Walk *walk, gsize i)
{
  const guint8 *page = walk->buffer + i * PAGE_SIZE_;

  if (walk->file >= 0 && !(walk->map->flags & MAP_SHARED_))
    return memcmp (page, walk->original + i * PAGE_SIZE_, PAGE_SIZE_) != 0;
  return !page_is_zero (page);
}

/* Report the pages that count of the LENGTH bytes at ADDR in the buffer.  */
static gboolean
report_run (Walk *walk, Addr addr, gsize length, GError **error)
{
  gsize pages = length / PAGE_SIZE_;

  if (walk->file >= 0 && !(walk->map->flags & MAP_SHARED_))
    {
      gint64 offset = (gint64) (walk->map->offset + (addr - walk->map->start));
      gssize got = pread (walk->file, walk->original, length, offset);

      got = MAX (got, 0);
      memset (walk->original + got, 0, length - (gsize) got);
    }
  for (gsize i = 0, run; i < pages; i += run)
    {
      gboolean counts = page_counts (walk, i);

      for (run = 1; i + run < pages && page_counts (walk, i + run) == counts; run++)
        ;
      if (counts
          && !walk->func (addr + i * PAGE_SIZE_, walk->buffer + i * PAGE_SIZE_, run * PAGE_SIZE_, walk->user,
                          error))
        return FALSE;
    }
  return TRUE;
}

/* Read and report the pages [START, END).  Pages without contents (behind
   the end of a file) are passed over.  */
static gboolean
walk_pages (Walk *walk, Addr start, Addr end, GError **error)
{
  while (start < end)
    {
      gsize want = MIN (end - start, RUN_PAGES * PAGE_SIZE_);
      gsize got = PAGE_DOWN (task_read_some (walk->task, start, walk->buffer, want));

      if (got > 0 && !report_run (walk, start, got, error))
        return FALSE;
      start += got < want ? got + PAGE_SIZE_ : got;
    }
  return TRUE;
}

/* Of a private file mapping only the copied pages are of interest.  */
static gboolean
wants_file_pages (const Mapping *m)
{
  return m->file == NO_FILE;
}

/* Walk the present pages of [START, END).  FALSE with no error: the ioctl
   does not exist.  */
static gboolean
scan_ioctl (Walk *walk, Addr start, Addr end, GError **error)
{
  struct scan_region regions[64];
  struct scan_arg arg = { .size = sizeof arg,
                          .start = start,
                          .end = end,
                          .vec = (guint64) (gsize) regions,
                          .vec_len = G_N_ELEMENTS (regions),
                          .category_anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
                          .return_mask = SCAN_PRESENT };

  if (!wants_file_pages (walk->map))
    {
      arg.category_mask = SCAN_FILE;
      arg.category_inverted = SCAN_FILE;
    }
  while (arg.start < end)
    {
      int n = ioctl (walk->pagemap, SCAN_IOCTL, &arg);

      if (n < 0)
        {
          if (errno != ENOTTY && errno != EINVAL)
            error_set_errno (error, "cannot scan the page map");
          return FALSE;
        }
      for (int i = 0; i < n; i++)
        if (!walk_pages (walk, regions[i].start, regions[i].end, error))
          return FALSE;
      if (arg.walk_end <= arg.start)
        break;
      arg.start = arg.walk_end;
    }
  return TRUE;
}

Addr
space_next_present (int pagemap, Addr start, Addr end)
{
  struct scan_region region;
  struct scan_arg arg = { .size = sizeof arg,
                          .start = start,
                          .end = end,
                          .vec = (guint64) (gsize) &region,
                          .vec_len = 1,
                          .max_pages = 1,
                          .category_anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
                          .return_mask = SCAN_PRESENT };
  int n = ioctl (pagemap, SCAN_IOCTL, &arg);

  if (n > 0)
    return region.start;
  return n == 0 && arg.walk_end > start ? MIN (arg.walk_end, end) : start;
}

/* The same from the entries of the page map.  */
static gboolean
scan_entries (Walk *walk, Addr start, Addr end, GError **error)
{
  guint64 entries[512];
  guint64 refuse = wants_file_pages (walk->map) ? 0 : PM_FILE;

  while (start < end)
    {
      gsize want = MIN ((end - start) / PAGE_SIZE_, G_N_ELEMENTS (entries));
      gssize got = pread (walk->pagemap, entries, want * 8, (gint64) (start / PAGE_SIZE_ * 8));
      gsize n = got > 0 ? (gsize) got / 8 : 0;

      if (got < 0)
        return error_set_errno (error, "cannot read the page map");
      if (n == 0)
        break;
      for (gsize i = 0, run; i < n; i += run)
        {
          gboolean wanted = entries[i] & (PM_PRESENT | PM_SWAPPED) && !(entries[i] & refuse);

          run = 1;
          if (!wanted)
            continue;
          while (i + run < n && entries[i + run] & (PM_PRESENT | PM_SWAPPED) && !(entries[i + run] & refuse))
            run++;
          if (!walk_pages (walk, start + i * PAGE_SIZE_, start + (i + run) * PAGE_SIZE_, error))
            return FALSE;
        }
      start += n * PAGE_SIZE_;
    }
  return TRUE;
}

static gboolean
scan_present (Walk *walk, Addr start, Addr end, GError **error)
{
  GError *failure = NULL;

  if (!walk->no_scan)
    {
      if (scan_ioctl (walk, start, end, &failure))
        return TRUE;
      if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
      walk->no_scan = TRUE;
    }
  return scan_entries (walk, start, end, error);
}

static void
open_file (Walk *walk)
{
  walk->file = -1;
  if (walk->map->file != NO_FILE && walk->space->files != NULL)
    {
      g_autofree char *path = g_strdup_printf ("%s/%u", walk->space->files, walk->map->file);

      walk->file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    }
}

static gboolean
walk_mapping (Walk *walk, GError **error)
{
  const Mapping *m = walk->map;
  gboolean ok;

  if (m->flags & MAP_SPECIAL_)
    return TRUE;
  if (m->flags & MAP_ALIAS_)
    {
      walk->file = -1;
      return walk_pages (walk, m->start, m->end, error);
    }
  if (m->file != NO_FILE && m->flags & MAP_SHARED_)
    {
      if (!(m->prot & PROT_WRITE) && m->end - m->start > SHARED_MAX)
        return TRUE;
      walk->file = -1;
      return walk_pages (walk, m->start, m->end, error);
    }
  open_file (walk);
  /* Without the file to compare with, code that breakpoints have touched
     cannot be told from code that the program changed.  */
  if (m->file != NO_FILE && walk->file < 0 && m->prot & PROT_EXEC && !(m->prot & PROT_WRITE))
    return TRUE;
  ok = scan_present (walk, m->start, m->end, error);
  if (walk->file >= 0)
    close (walk->file);
  return ok;
}

gboolean
space_walk (const Space *space, const Task *t, gboolean no_scan, SpaceFunc func, gpointer user,
            GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/pagemap", (int) t->tid);
  Walk walk = { .space = space, .task = t, .func = func, .user = user, .no_scan = no_scan, .file = -1 };
  gboolean ok = TRUE;

  walk.pagemap = open (path, O_RDONLY | O_CLOEXEC);
  if (walk.pagemap < 0)
    return error_set_errno (error, "cannot open %s", path);
  walk.buffer = g_malloc (2 * RUN_PAGES * PAGE_SIZE_);
  walk.original = walk.buffer + RUN_PAGES * PAGE_SIZE_;
  for (guint i = 0; ok && i < space->maps->len; i++)
    {
      walk.map = &g_array_index (space->maps, Mapping, i);
      ok = walk_mapping (&walk, error);
    }
  g_free (walk.buffer);
  close (walk.pagemap);
  return ok;
}

gboolean
space_foreach_page (const Space *space, const Task *t, SpaceFunc func, gpointer user, GError **error)
{
  return space_walk (space, t, FALSE, func, user, error);
}

static gboolean
digest_pages (Addr addr, const guint8 *data, gsize length, gpointer user, GError **error)
{
  guint64 *digest = user;

  (void) error;
  for (gsize i = 0; i < length; i += PAGE_SIZE_)
    *digest = hash_word (*digest, hash_bytes (data + i, PAGE_SIZE_, addr + i));
  return TRUE;
}

gboolean
space_digest (const Space *space, const Task *t, guint64 *digest_ret, GError **error)
{
  guint64 digest = 4;

  if (!space_foreach_page (space, t, digest_pages, &digest, error))
    return FALSE;
  *digest_ret = hash_finish (digest);
  return TRUE;
}
