/* Naming a place inside a stretch: see point.h.

   The words come from the code itself (record/around.h).  Shared mappings
   are left out of everything, since others may write them.  */

#include "record/point.h"

#include "base/error.h"
#include "base/hash.h"
#include "record/around.h"

#include <string.h>
#include <sys/mman.h>

#define FLAGS_IGNORED 0x10100u /* TF, RF  */
#define RED_ZONE 128 /* below rsp, where functions that call none keep variables  */
#define STACK_BYTES 512
#define AROUND_BYTES 64
#define GLOBALS_MAX (32u << 10)

static Regs
normal_regs (const Regs *regs)
{
  Regs normal = *regs;

  normal.eflags &= ~(unsigned long long) FLAGS_IGNORED;
  normal.orig_rax = 0;
  return normal;
}

/* ---- Hash ---- */

static guint64
hash_some (const Task *task, const Space *space, guint64 seed, Addr addr, gsize length)
{
  guint8 buffer[RED_ZONE + STACK_BYTES];
  const Mapping *map = space_find (space, addr);

  if (map == NULL || (map->flags & (MAP_SHARED_ | MAP_SPECIAL_)) != 0)
    return seed;
  length = MIN (MIN (length, sizeof buffer), map->end - addr);
  length = task_read_some (task, addr, buffer, length);
  return hash_bytes (buffer, length, seed ^ addr);
}

/* Does MAP hold data of the program or of a library: a writable mapping of a
   file, or what follows that without a gap?  */
static gboolean
holds_globals (const Mapping *map, const Mapping *before, gboolean before_does)
{
  if ((map->prot & PROT_WRITE) == 0 || (map->flags & (MAP_SHARED_ | MAP_SPECIAL_)) != 0)
    return FALSE;
  return map->file != NO_FILE || (before_does && before->end == map->start);
}

static guint64
hash_globals (const Task *task, const Space *space, guint64 seed)
{
  static guint8 buffer[GLOBALS_MAX];
  gsize left = 2 * GLOBALS_MAX;
  const Mapping *before = NULL;
  gboolean does = FALSE;

  for (guint i = 0; i < space->maps->len && left > 0; i++)
    {
      const Mapping *map = &g_array_index (space->maps, Mapping, i);

      does = holds_globals (map, before, does);
      before = map;
      if (!does)
        continue;
      gsize length = MIN (MIN (map->end - map->start, sizeof buffer), left);
      left -= length;
      length = task_read_some (task, map->start, buffer, length);
      seed = hash_bytes (buffer, length, seed ^ map->start);
    }
  return seed;
}

guint32
point_memory_hash (const Task *task, const Space *space, const Regs *regs)
{
  const guint64 pointers[]
      = { regs->rax, regs->rbx, regs->rcx, regs->rdx, regs->rsi, regs->rdi, regs->rbp, regs->r8,
          regs->r9,  regs->r10, regs->r11, regs->r12, regs->r13, regs->r14, regs->r15 };
  guint64 hash = hash_some (task, space, 1, regs->rsp - RED_ZONE, RED_ZONE + STACK_BYTES);

  for (gsize i = 0; i < G_N_ELEMENTS (pointers); i++)
    hash = hash_some (task, space, hash, pointers[i], AROUND_BYTES);
  hash = hash_some (task, space, hash, regs->fs_base - 256, 256);
  hash = hash_globals (task, space, hash);
  return (guint32) (hash ^ (hash >> 32));
}

/* ---- Interface ---- */

PointId *
point_describe (const Task *task, const Space *space, PointWhy why, GError **error)
{
  g_autofree PointId *point = g_new0 (PointId, 1);

  point->why = why;
  if (!task_get_regs (task, &point->regs, error))
    return NULL;
  point->regs = normal_regs (&point->regs);
  g_autoptr (GBytes) xstate = task_get_xstate (task, error);
  if (xstate == NULL)
    return NULL;
  point->xstate_hash = xstate_hash (xstate);
  around_find_words (point, task, space, xstate);
  point->memory_hash = point_memory_hash (task, space, &point->regs);
  return g_steal_pointer (&point);
}

gboolean
point_match_regs (const PointId *point, const Regs *regs)
{
  Regs normal = normal_regs (regs);

  return memcmp (&normal, &point->regs, sizeof normal) == 0;
}

gboolean
point_match (const PointId *point, const Task *task, const Space *space, const Regs *regs)
{
  if (!point_match_regs (point, regs))
    return FALSE;
  for (guint i = 0; i < point->n_words; i++)
    {
      guint64 value;

      if (point->words[i].addr >= POINT_XSTATE)
        continue; /* part of what is hashed  */
      if (task_read_some (task, point->words[i].addr, &value, sizeof value) != sizeof value
          || value != point->words[i].value)
        return FALSE;
    }
  g_autoptr (GBytes) xstate = task_get_xstate (task, NULL);
  return xstate != NULL && xstate_hash (xstate) == point->xstate_hash
         && point_memory_hash (task, space, &point->regs) == point->memory_hash;
}
