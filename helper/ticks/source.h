/* What blocks were translated from, and whether that is still there.

   One cache serves copies of the program at different moments of its life,
   and the helper itself writes their memory; so translations are checked
   against the task's code at the start of each run, as cheaply as the
   kind of mapping allows:

     file, not writable    nothing, if it is the same file at the same offset
                           and the page was never written (pagemap says so)
     other, not writable   compare the page
     writable, or mapped   nothing now: such blocks are `guarded', they
     elsewhere, too        compare their own source each time they are entered

   No system call happens inside a run, so mappings cannot change there.  */

#ifndef RETRO_TICKS_SOURCE_H
#define RETRO_TICKS_SOURCE_H

#include "space/space.h"
#include "ticks/cache.h"
#include "trace/task.h"

typedef struct
{
  Cache *cache;
  GHashTable *pages; /* page address -> CodePage  */
  GPtrArray *sorted; /* the same by address; NULL: to be made  */
  GArray *maps;      /* of ExecMap: executable mappings of the present run  */
} Source;

void source_init (Source *source, Cache *cache);
void source_clear (Source *source);

/* A run of TASK begins: kill the blocks whose source is not there.  SPACE
   may be NULL (the kernel is asked then).  */
gboolean source_sync (Source *source, const Task *task, const Space *space, GError **error);
/* The executable bytes at PC, at most LENGTH; how many.  *GUARDED_RET:
   they may change during the run.  */
gsize source_read (Source *source, const Task *task, Addr pc, guint8 *bytes, gsize length, gboolean *guarded_ret);
/* BLOCK is made of what source_read gave.  */
void source_note (Source *source, Block *block);
/* Is the task's memory still what BLOCK is made of?  */
gboolean source_is_current (Source *source, const Task *task, const Block *block);
/* Kill the blocks that take in PC.  */
void source_kill_at (Source *source, Addr pc);
/* Kill the blocks that overlap [START, END) and forget the pages.  */
void source_forget (Source *source, Addr start, Addr end);

#endif
