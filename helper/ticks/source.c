/* Code pages and their validity: see source.h.

   Kernel fact: in /proc/PID/pagemap, bit 61 of a present page says that it
   belongs to a file (or is shared); a privately written page of a file
   mapping is anonymous and lacks it.  A page that is not present is as the
   file has it.  */

#include "ticks/source.h"

#include "base/error.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGEMAP_FILE (1ull << 61)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_PRESENT (1ull << 63)

typedef struct
{
  Addr start, end;
  gboolean writable; /* here or, the same memory, elsewhere  */
  gint64 file; /* identity, or -1  */
  guint64 offset;
} ExecMap;

typedef struct
{
  Addr addr;
  gboolean guarded;
  gint64 file;
  guint64 offset;   /* of this page in the file  */
  gboolean written; /* bytes may differ from the file's  */
  GPtrArray *blocks;
  guint8 bytes[PAGE_SIZE_];
} CodePage;

static void
free_page (gpointer data)
{
  CodePage *page = data;

  g_ptr_array_free (page->blocks, TRUE);
  g_free (page);
}

void
source_init (Source *source, Cache *cache)
{
  source->cache = cache;
  source->pages = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, free_page);
  source->sorted = NULL;
  source->maps = g_array_new (FALSE, FALSE, sizeof (ExecMap));
}

static void
drop_sorted (Source *source)
{
  g_clear_pointer (&source->sorted, g_ptr_array_unref);
}

void
source_clear (Source *source)
{
  drop_sorted (source);
  g_hash_table_destroy (source->pages);
  g_array_free (source->maps, TRUE);
}

/* The mappings of this run.  */

static void
list_space (GArray *maps, const Space *space)
{
  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);
      gboolean writable = (m->prot & PROT_WRITE) != 0 || (m->flags & MAP_ALIAS_) != 0;
      ExecMap map = { m->start, m->end, writable, -1, m->offset };

      if (!(m->prot & PROT_EXEC))
        continue;
      if (m->file != NO_FILE && !(m->flags & MAP_SPECIAL_))
        map.file = m->file;
      g_array_append_val (maps, map);
    }
}

static gboolean
list_kernel (GArray *maps, const Task *task, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", task->tid);
  FILE *file = fopen (path, "re");
  char line[512];

  if (file == NULL)
    return error_set_errno (error, "cannot open %s", path);
  while (fgets (line, sizeof line, file) != NULL)
    {
      ExecMap map = { .file = -1 };
      unsigned long start, end, offset, major, minor, inode;
      char prot[5];

      if (sscanf (line, "%lx-%lx %4s %lx %lx:%lx %lu", &start, &end, prot, &offset, &major, &minor, &inode) != 7
          || prot[2] != 'x' || (start >= ARENA_BASE && start < ARENA_BASE + ARENA_SIZE) || start >= USER_END)
        continue;
      map.start = start;
      map.end = end;
      map.writable = prot[1] == 'w' || prot[3] == 's';
      map.offset = offset;
      if (inode != 0)
        map.file = (gint64) ((inode ^ major << 52 ^ minor << 44) & G_MAXINT64);
      g_array_append_val (maps, map);
    }
  fclose (file);
  return TRUE;
}

static const ExecMap *
find_map (const Source *source, Addr addr)
{
  guint low = 0, high = source->maps->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      const ExecMap *map = &g_array_index (source->maps, ExecMap, middle);

      if (addr < map->start)
        high = middle;
      else if (addr >= map->end)
        low = middle + 1;
      else
        return map;
    }
  return NULL;
}

/* Checking pages.  */

static int
compare_pages (gconstpointer a, gconstpointer b)
{
  Addr x = (*(CodePage *const *) a)->addr, y = (*(CodePage *const *) b)->addr;

  return x < y ? -1 : x > y;
}

static void
sort_pages (Source *source)
{
  GHashTableIter iter;
  gpointer page;

  if (source->sorted != NULL)
    return;
  source->sorted = g_ptr_array_new ();
  g_hash_table_iter_init (&iter, source->pages);
  while (g_hash_table_iter_next (&iter, NULL, &page))
    g_ptr_array_add (source->sorted, page);
  g_ptr_array_sort (source->sorted, compare_pages);
}

static void
kill_blocks (Source *source, CodePage *page)
{
  for (guint i = 0; i < page->blocks->len; i++)
    cache_kill (source->cache, g_ptr_array_index (page->blocks, i));
  g_ptr_array_set_size (page->blocks, 0);
}

/* The part of BLOCK's source that lies in PAGE: [*FROM, *TO) in it.  */
static void
clip_block (const Block *block, const CodePage *page, gsize *from, gsize *to)
{
  Addr start = MAX (block->pc, page->addr);
  Addr end = MIN (block->pc + block->source_length, page->addr + PAGE_SIZE_);

  *from = start - page->addr;
  *to = end - page->addr;
}

/* Take over what PAGE holds now, killing the blocks that differ.  FALSE if
   it cannot be read.  */
static gboolean
refresh_page (Source *source, const Task *task, CodePage *page)
{
  guint8 bytes[PAGE_SIZE_];
  guint kept = 0;

  if (task_read_some (task, page->addr, bytes, sizeof bytes) != sizeof bytes)
    return FALSE;
  if (memcmp (bytes, page->bytes, sizeof bytes) == 0)
    return TRUE;
  for (guint i = 0; i < page->blocks->len; i++)
    {
      Block *block = g_ptr_array_index (page->blocks, i);
      gsize from, to;

      clip_block (block, page, &from, &to);
      if (!block->dead && memcmp (bytes + from, page->bytes + from, to - from) != 0)
        cache_kill (source->cache, block);
      if (!block->dead)
        page->blocks->pdata[kept++] = block;
    }
  g_ptr_array_set_size (page->blocks, (gint) kept);
  memcpy (page->bytes, bytes, sizeof bytes);
  return TRUE;
}

/* A window onto pagemap.  */
typedef struct
{
  int fd;
  Addr start;
  guint n;
  guint64 entries[512];
} PageWindow;

static gboolean
is_written (PageWindow *window, Addr page)
{
  if (page < window->start || page >= window->start + window->n * PAGE_SIZE_)
    {
      ssize_t got = window->fd < 0 ? -1
                                   : pread (window->fd, window->entries, sizeof window->entries,
                                            (off_t) (page / PAGE_SIZE_ * 8));

      if (got < 8)
        return TRUE;
      window->start = page;
      window->n = (guint) got / 8;
    }
  guint64 entry = window->entries[(page - window->start) / PAGE_SIZE_];
  if (entry & PAGEMAP_SWAPPED)
    return TRUE;
  return (entry & PAGEMAP_PRESENT) && !(entry & PAGEMAP_FILE);
}

/* FALSE: the page is to be forgotten.  */
static gboolean
check_page (Source *source, const Task *task, CodePage *page, PageWindow *window)
{
  const ExecMap *map = find_map (source, page->addr);

  if (map == NULL || map->writable != page->guarded)
    return FALSE;
  if (page->guarded)
    return TRUE;
  guint64 offset = map->offset + (page->addr - map->start);
  if (map->file >= 0)
    {
      gboolean written = is_written (window, page->addr);
      gboolean same = page->file == map->file && page->offset == offset && !page->written && !written;

      page->file = map->file;
      page->offset = offset;
      page->written = written;
      if (same)
        return TRUE;
    }
  else
    page->file = -1;
  return refresh_page (source, task, page);
}

gboolean
source_sync (Source *source, const Task *task, const Space *space, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/pagemap", task->tid);
  PageWindow window = { .n = 0 };

  g_array_set_size (source->maps, 0);
  if (space != NULL)
    list_space (source->maps, space);
  else if (!list_kernel (source->maps, task, error))
    return FALSE;
  if (g_hash_table_size (source->pages) == 0)
    return TRUE;
  sort_pages (source);
  window.fd = open (path, O_RDONLY | O_CLOEXEC);
  for (guint i = 0; i < source->sorted->len;)
    {
      CodePage *page = g_ptr_array_index (source->sorted, i);

      if (check_page (source, task, page, &window))
        i++;
      else
        {
          kill_blocks (source, page);
          g_ptr_array_remove_index (source->sorted, i);
          g_hash_table_remove (source->pages, &page->addr);
        }
    }
  if (window.fd >= 0)
    close (window.fd);
  return TRUE;
}

static CodePage *
get_page (Source *source, const Task *task, Addr addr)
{
  CodePage *page = g_hash_table_lookup (source->pages, &addr);

  if (page != NULL)
    return !page->guarded || refresh_page (source, task, page) ? page : NULL;
  const ExecMap *map = find_map (source, addr);
  if (map == NULL)
    return NULL;
  page = g_new0 (CodePage, 1);
  page->blocks = g_ptr_array_new ();
  page->addr = addr;
  page->guarded = map->writable;
  page->file = map->file;
  page->offset = map->offset + (addr - map->start);
  page->written = TRUE; /* not known yet; the next sync looks  */
  if (task_read_some (task, addr, page->bytes, sizeof page->bytes) != sizeof page->bytes)
    {
      free_page (page);
      return NULL;
    }
  g_hash_table_insert (source->pages, &page->addr, page);
  drop_sorted (source);
  return page;
}

gsize
source_read (Source *source, const Task *task, Addr pc, guint8 *bytes, gsize length, gboolean *guarded_ret)
{
  gsize done = 0;

  *guarded_ret = FALSE;
  while (done < length)
    {
      Addr addr = PAGE_DOWN (pc + done);
      CodePage *page = get_page (source, task, addr);

      if (page == NULL)
        break;
      gsize from = pc + done - addr, n = MIN (length - done, PAGE_SIZE_ - from);
      memcpy (bytes + done, page->bytes + from, n);
      *guarded_ret |= page->guarded;
      done += n;
    }
  return done;
}

void
source_note (Source *source, Block *block)
{
  Addr last = PAGE_DOWN (block->pc + MAX (block->source_length, 1) - 1);

  for (Addr addr = PAGE_DOWN (block->pc); addr <= last; addr += PAGE_SIZE_)
    {
      CodePage *page = g_hash_table_lookup (source->pages, &addr);

      if (page != NULL)
        g_ptr_array_add (page->blocks, block);
    }
}

gboolean
source_is_current (Source *source, const Task *task, const Block *block)
{
  Addr last = PAGE_DOWN (block->pc + MAX (block->source_length, 1) - 1);

  for (Addr addr = PAGE_DOWN (block->pc); addr <= last; addr += PAGE_SIZE_)
    if (get_page (source, task, addr) == NULL)
      return FALSE;
  return !block->dead;
}

void
source_kill_at (Source *source, Addr pc)
{
  Addr addr = PAGE_DOWN (pc);
  CodePage *page = g_hash_table_lookup (source->pages, &addr);

  if (page == NULL)
    return;
  for (guint i = 0; i < page->blocks->len;)
    {
      Block *block = g_ptr_array_index (page->blocks, i);

      if (pc >= block->pc && pc < block->pc + block->source_length)
        cache_kill (source->cache, block);
      if (block->dead)
        g_ptr_array_remove_index_fast (page->blocks, i);
      else
        i++;
    }
}

void
source_forget (Source *source, Addr start, Addr end)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, source->pages);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      CodePage *page = value;

      if (page->addr + PAGE_SIZE_ <= start || page->addr >= end)
        continue;
      kill_blocks (source, page);
      g_hash_table_iter_remove (&iter);
      drop_sorted (source);
    }
}
