/* Blocks, links and the table of indirect targets: see cache.h.

   Patching a jump is a plain store into the shared memory: the task is
   stopped, and its return to user mode serialises.  */

#include "ticks/cache.h"

#include "ticks/emit.h"

static void
free_block (gpointer data)
{
  Block *block = data;

  g_free (block->rows);
  g_free (block->exits);
  g_free (block);
}

void
cache_init (Cache *cache, guint8 *base, guint32 start, guint32 end, gboolean counts)
{
  cache->base = base;
  cache->start = start;
  cache->end = end;
  cache->counts = counts;
  cache->x87 = FALSE;
  cache->blocks = g_ptr_array_new_with_free_func (free_block);
  cache->targets = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  cache->heads = g_hash_table_new (NULL, NULL);
  cache_flush (cache);
}

void
cache_clear (Cache *cache)
{
  g_hash_table_destroy (cache->heads);
  g_hash_table_destroy (cache->targets);
  g_ptr_array_free (cache->blocks, TRUE);
}

static Addr
get_miss (const Cache *cache)
{
  return ARENA_CACHE + cache->start;
}

static guint64 *
get_table (const Cache *cache)
{
  return (guint64 *) (gpointer) (cache->base + cache->start + CACHE_TABLE_OFFSET);
}

void
cache_flush (Cache *cache)
{
  g_hash_table_remove_all (cache->heads);
  g_hash_table_remove_all (cache->targets);
  g_ptr_array_set_size (cache->blocks, 0);
  cache->base[cache->start] = OP_INT3;
  for (gsize i = 0; i < CACHE_TABLE_ENTRIES; i++)
    get_table (cache)[i] = get_miss (cache);
  cache->used = cache->start + CACHE_CODE_OFFSET;
}

gboolean
cache_is_full (const Cache *cache)
{
  return cache->used + CACHE_BLOCK_MAX > cache->end;
}

Block *
cache_find (const Cache *cache, Addr pc)
{
  const Target *target = g_hash_table_lookup (cache->targets, &pc);

  return target != NULL ? target->block : NULL;
}

Block *
cache_find_code (const Cache *cache, Addr addr)
{
  guint low = 0, high = cache->blocks->len;
  guint64 offset = addr - ARENA_CACHE;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      Block *block = g_ptr_array_index (cache->blocks, middle);

      if (offset < block->start)
        high = middle;
      else if (offset >= block->start + block->size)
        low = middle + 1;
      else
        return block;
    }
  return NULL;
}

const Exit *
cache_find_exit (const Cache *cache, Addr addr)
{
  static const Exit miss = { .kind = EXIT_MISS, .spilled = 7 };
  const Block *block;

  if (addr == get_miss (cache))
    return &miss;
  if (!cache_holds (addr) || (block = cache_find_code (cache, addr)) == NULL)
    return NULL;
  for (guint i = 0; i < block->n_exits; i++)
    if (block->exits[i].at == addr - ARENA_CACHE)
      return &block->exits[i];
  return NULL;
}

static Target *
get_target (Cache *cache, Addr pc)
{
  Target *target = g_hash_table_lookup (cache->targets, &pc);

  if (target == NULL)
    {
      target = g_new0 (Target, 1);
      target->pc = pc;
      g_hash_table_insert (cache->targets, &target->pc, target);
    }
  return target;
}

static void
patch_offset (Cache *cache, guint32 place, guint32 target)
{
  emit_patch (cache->base + place, ARENA_CACHE + place, ARENA_CACHE + target);
}

static void
link_exit (Cache *cache, Exit *e)
{
  patch_offset (cache, e->patch, e->target->block != NULL ? e->target->block->entry : e->at);
}

static void
attach_exit (Cache *cache, Exit *e)
{
  Target *target = get_target (cache, e->pc);

  e->target = target;
  e->prev = NULL;
  e->next = target->exits;
  if (e->next != NULL)
    e->next->prev = e;
  target->exits = e;
  link_exit (cache, e);
}

static void
detach_exit (Exit *e)
{
  if (e->prev != NULL)
    e->prev->next = e->next;
  else
    e->target->exits = e->next;
  if (e->next != NULL)
    e->next->prev = e->prev;
}

void
cache_add (Cache *cache, Block *block)
{
  Target *target = get_target (cache, block->pc);

  g_assert (target->block == NULL);
  g_ptr_array_add (cache->blocks, block);
  target->block = block;
  for (Exit *e = target->exits; e != NULL; e = e->next)
    link_exit (cache, e);
  for (guint i = 0; i < block->n_exits; i++)
    if (block->exits[i].kind == EXIT_DIRECT)
      attach_exit (cache, &block->exits[i]);
}

static gpointer
get_table_key (const Block *block)
{
  return GUINT_TO_POINTER ((guint) (block->pc & (CACHE_TABLE_ENTRIES - 1)));
}

static void
patch_chain (Cache *cache, Block *block)
{
  patch_offset (cache, block->chain, block->chain_next != NULL ? block->chain_next->indirect : cache->start);
}

void
cache_add_indirect (Cache *cache, Block *block)
{
  gpointer key = get_table_key (block);

  if (block->in_table)
    return;
  block->in_table = TRUE;
  block->chain_next = g_hash_table_lookup (cache->heads, key);
  patch_chain (cache, block);
  g_hash_table_insert (cache->heads, key, block);
  get_table (cache)[GPOINTER_TO_UINT (key)] = ARENA_CACHE + block->indirect;
}

static void
remove_indirect (Cache *cache, Block *block)
{
  gpointer key = get_table_key (block);
  Block *before = NULL, *b = g_hash_table_lookup (cache->heads, key);

  for (; b != block; b = b->chain_next)
    before = b;
  if (before != NULL)
    {
      before->chain_next = block->chain_next;
      patch_chain (cache, before);
      return;
    }
  g_hash_table_insert (cache->heads, key, block->chain_next);
  get_table (cache)[GPOINTER_TO_UINT (key)]
      = block->chain_next != NULL ? ARENA_CACHE + block->chain_next->indirect : get_miss (cache);
}

void
cache_kill (Cache *cache, Block *block)
{
  Target *target = get_target (cache, block->pc);

  if (block->dead)
    return;
  block->dead = TRUE;
  if (block->in_table)
    remove_indirect (cache, block);
  for (guint i = 0; i < block->n_exits; i++)
    if (block->exits[i].kind == EXIT_DIRECT)
      detach_exit (&block->exits[i]);
  target->block = NULL;
  for (Exit *e = target->exits; e != NULL; e = e->next)
    link_exit (cache, e);
}
