/* The code cache: blocks of translated code and how they hang together.

     start  +0        miss stub: int3
            +4 KB     table of indirect targets, by low 16 bits of pc:
                      address of a block's indirect entry, or the stub
            +1 MB     code, allocated upwards, flushed as a whole
     end

     a block:     indirect entry   checks that rcx is its pc, else goes to the
                                   next block of the same table entry
                  entry            [source check] [hook] ...
                  arrived entry    the first instruction itself
                  ...
                  exits            one int3 each

   There are two caches in the memory at ARENA_CACHE: one whose code counts
   ticks, and one whose code does not.  Where an offset is "in the cache", it
   is from ARENA_CACHE.

   A block covers consecutive instructions of the program up to the first
   control transfer, or, if not counting, to the first that is not a
   conditional jump.  Its rows map cache addresses back (see unwind.h), its
   exits are the places where it leaves to the helper; an exit to a known pc
   (EXIT_DIRECT) is patched to jump to the target's block while there is
   one.  All exits to one pc, linked or not, hang at a Target.

   Blocks die one by one (their source changed, or a hook is to be put into
   them), but their code space comes back only with a flush.  */

#ifndef RETRO_TICKS_CACHE_H
#define RETRO_TICKS_CACHE_H

#include "base/types.h"

#define CACHE_TABLE_OFFSET 0x1000
#define CACHE_TABLE_ENTRIES 65536
#define CACHE_CODE_OFFSET 0x100000

/* Space that must be left for one more block.  */
#define CACHE_BLOCK_MAX 0x8000

typedef enum
{
  EXIT_DIRECT, /* go on at .pc  */
  EXIT_TICKS,  /* ticks_left is 0, having counted the branch at .pc, which is yet to be executed  */
  EXIT_STEP,   /* the instruction at .pc is the helper's business  */
  EXIT_BREAK,  /* the counter of the hook at .pc is zero  */
  EXIT_POINT,  /* the registers at .pc look like the point's  */
  EXIT_STALE,  /* the block's source is not what it was  */
  EXIT_MISS    /* indirect transfer to rcx, which the table does not know  */
} ExitKind;

typedef struct _Exit Exit;
typedef struct _Target Target;
typedef struct _Block Block;

struct _Exit
{
  ExitKind kind;
  guint8 spilled;  /* registers in the state page on exit  */
  guint32 at;      /* offset in the cache of its int3  */
  guint32 patch;   /* DIRECT: offset of the displacement that leads to it  */
  Addr pc;
  Target *target;  /* DIRECT  */
  Exit *next, *prev;
};

struct _Target
{
  Addr pc;
  Block *block; /* or NULL  */
  Exit *exits;
};

/* What is going on in the block's code from OFFSET on (see unwind.h).  */
typedef struct
{
  guint16 offset;  /* from the block's start  */
  guint16 pc;      /* from the block's pc  */
  guint8 spilled;
  guint8 scratch;  /* the register in State.scratch  */
  guint8 flags;
} Row;

enum
{
  ROW_CLEAN = 1,   /* exactly at OFFSET, the task is at the boundary before pc  */
  ROW_HOOK = 2,    /* instrumentation: the arrival at pc is not yet complete  */
  ROW_COUNTED = 4, /* the branch at pc has been counted, not executed  */
};

struct _Block
{
  Addr pc;
  guint32 source_length;
  guint32 start, size;          /* in the cache  */
  guint32 indirect;             /* entries: offsets in the cache  */
  guint32 entry;
  guint32 arrived_entry;
  guint32 chain;                /* offset of the displacement to the next of the table entry  */
  Block *chain_next;
  gboolean in_table;
  gboolean dead;
  gboolean guarded;             /* checks its source on entry  */
  Row *rows;
  guint n_rows;
  Exit *exits;
  guint n_exits;
};

typedef struct
{
  guint8 *base;       /* the helper's mapping of ARENA_CACHE  */
  guint32 start, end; /* offsets from there  */
  guint32 used;       /* offset of free space  */
  gboolean counts;    /* ticks  */
  GPtrArray *blocks;  /* of Block, dead ones too, by address  */
  GHashTable *targets; /* pc -> Target  */
  GHashTable *heads;  /* table index -> first Block  */
  gboolean x87;       /* x87 instructions were translated: their pc gets into the task  */
} Cache;

void cache_init (Cache *cache, guint8 *base, guint32 start, guint32 end, gboolean counts);
void cache_clear (Cache *cache);
/* Forget all blocks.  */
void cache_flush (Cache *cache);
gboolean cache_is_full (const Cache *cache);

/* The living block that starts at PC, or NULL.  */
Block *cache_find (const Cache *cache, Addr pc);
/* The block, living or dead, whose code is at ADDR in the task.  */
Block *cache_find_code (const Cache *cache, Addr addr);
/* The exit whose int3 is at ADDR, or NULL.  */
const Exit *cache_find_exit (const Cache *cache, Addr addr);

/* Take in BLOCK, whose code, rows and exits are complete, and link it.  */
void cache_add (Cache *cache, Block *block);
/* Let indirect transfers find BLOCK.  */
void cache_add_indirect (Cache *cache, Block *block);
/* Unlink and bury BLOCK.  */
void cache_kill (Cache *cache, Block *block);

/* The table's address in the task.  */
static inline Addr
cache_table (const Cache *cache)
{
  return ARENA_CACHE + cache->start + CACHE_TABLE_OFFSET;
}

static inline gboolean
cache_holds (Addr addr)
{
  return addr >= ARENA_CACHE && addr < ARENA_CACHE + ARENA_CACHE_SIZE;
}

#endif
