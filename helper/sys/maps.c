/* /proc/PID/maps, parsed.  */

#include "sys/mapped.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Places for aliased objects (see maps_is_alias).  */
#define OBJECT_SIZE ((guint64) 1 << 40)
#define MAX_OBJECTS ((guint64) 1 << 21)

static void
clear_entry (gpointer p)
{
  g_free (((MapsEntry *) p)->name);
}

static gboolean
parse_line (const char *line, MapsEntry *entry_ret)
{
  unsigned long long start, end, offset, inode;
  unsigned dev_major, dev_minor;
  char perms[5];
  int at = 0;

  if (sscanf (line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &offset, &dev_major, &dev_minor, &inode,
              &at)
        < 7
      || at == 0)
    return FALSE;
  *entry_ret = (MapsEntry){
    .start = start,
    .end = end,
    .prot = (perms[0] == 'r' ? PROT_READ : 0u) | (perms[1] == 'w' ? PROT_WRITE : 0u)
            | (perms[2] == 'x' ? PROT_EXEC : 0u),
    .shared = perms[3] == 's',
    .offset = offset,
    .dev = (guint64) dev_major << 32 | dev_minor,
    .inode = inode,
    .name = g_strdup (line + at),
  };
  return TRUE;
}

GArray *
maps_read (pid_t tid, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", tid);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, error))
    return NULL;
  GArray *maps = g_array_new (FALSE, FALSE, sizeof (MapsEntry));
  g_array_set_clear_func (maps, clear_entry);
  for (char *line = text; *line != '\0';)
    {
      char *end = strchrnul (line, '\n');
      MapsEntry entry;
      gboolean last = *end == '\0';

      *end = '\0';
      if (parse_line (line, &entry))
        g_array_append_val (maps, entry);
      if (last)
        break;
      line = end + 1;
    }
  return maps;
}

/* Do E and F map some of the same shared memory?  */
static gboolean
overlap (const MapsEntry *e, const MapsEntry *f)
{
  return e->shared && f->shared && e->dev == f->dev && e->inode == f->inode && e->offset < f->offset + (f->end - f->start)
         && f->offset < e->offset + (e->end - e->start);
}

gboolean
maps_is_alias (const GArray *maps, const MapsEntry *e, guint64 *offset_ret)
{
  guint64 object = hash_finish (hash_word (hash_word (0, e->dev), e->inode)) % MAX_OBJECTS;

  if (!e->shared)
    return FALSE;
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *f = &g_array_index (maps, MapsEntry, i);
      if (f->start != e->start && overlap (e, f) && ((e->prot | f->prot) & PROT_WRITE))
        {
          *offset_ret = object * OBJECT_SIZE + e->offset % OBJECT_SIZE;
          return TRUE;
        }
    }
  return FALSE;
}

const MapsEntry *
maps_find (const GArray *maps, Addr addr)
{
  for (guint i = 0; i < maps->len; i++)
    {
      const MapsEntry *e = &g_array_index (maps, MapsEntry, i);
      if (addr >= e->start && addr < e->end)
        return e;
    }
  return NULL;
}
