/* Memory shared with other processes.

   What another process writes to shared memory reaches the program at no
   event.  But programs that are in their right mind read it after a call
   that waited for the other: for a child, a pipe, a futex, a moment.  So
   after calls that can block, as soon as no thread computes, shared pages that have changed since the
   last look are added to the event, or to one of their own.  The program's own changes are among
   them, which costs bytes and is harmless.  A program that spins on shared
   memory that another process writes cannot be recorded; its replay
   diverges and says so.

   Pages are known by a hash.  Looking costs about a microsecond a page, so
   large amounts are looked at only when a child was waited for.  */

#include "base/hash.h"
#include "sys/rows.h"

#include <string.h>

#define OFTEN_MAX ((guint64) 1 << 20)
#define CHILD_MAX ((guint64) 256 << 20)
#define AT_ONCE 64

static gboolean
is_shared (const Mapping *m)
{
  return (m->flags & MAP_SHARED_) && m->file == NO_FILE;
}

static guint64
total_shared (const Space *space)
{
  guint64 total = 0;

  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);
      if (is_shared (m))
        total += m->end - m->start;
    }
  return total;
}

/* The page at ADDR holds DATA now: is that new?  */
static gboolean
is_news (GHashTable *pages, Addr addr, const guint8 *data)
{
  guint64 hash = hash_bytes (data, PAGE_SIZE_, 1);
  guint64 *known = g_hash_table_lookup (pages, &addr);

  if (known != NULL && known[1] == hash)
    return FALSE;
  if (known == NULL)
    {
      known = g_new (guint64, 2);
      known[0] = addr;
      g_hash_table_add (pages, known);
    }
  known[1] = hash;
  return TRUE;
}

static void
look_at (const Task *task, Event *event, GHashTable *pages, const Mapping *m)
{
  g_autofree guint8 *data = g_malloc (AT_ONCE * PAGE_SIZE_);

  for (Addr at = m->start; at < m->end;)
    {
      gsize want = MIN (m->end - at, AT_ONCE * PAGE_SIZE_);
      gsize got = PAGE_DOWN (task_read_some (task, at, data, want));
      for (gsize i = 0; i < got; i += PAGE_SIZE_)
        if (is_news (pages, at + i, data + i))
          event_add_write (event, at + i, data + i, PAGE_SIZE_);
      at += got < want ? got + PAGE_SIZE_ : got;
    }
}

SysLook
sys_wants_look (const SysCall *call)
{
  if ((call->nr == SYS_wait4 || call->nr == SYS_waitid) && !sys_failed (call))
    return SYS_LOOK_CHILD;
  return call->row->flags & (SYS_BLOCKS | SYS_YIELD) ? SYS_LOOK_OFTEN : SYS_LOOK_NOT;
}

void
sys_look_at_shared (SysState *state, const Space *space, const Task *task, SysLook look, Event *event)
{
  guint64 total = total_shared (space);

  if (total == 0 || total > (look == SYS_LOOK_CHILD ? CHILD_MAX : OFTEN_MAX))
    return;
  if (state->shared_pages == NULL)
    state->shared_pages = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);
      if (is_shared (m))
        look_at (task, event, state->shared_pages, m);
    }
}
