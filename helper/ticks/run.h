/* One ticks_run under way (internal to the run's files).

   The loop alternates between the cache and the helper:

        regs, arrived                     raw registers
     ------------------> translated code ----------------> exit, fault,
     <------------------ run_unwind, run_exit <----------- watch, interrupt

   While the helper is at it, `regs' are the program's, at an instruction
   boundary, and not necessarily those of the task; `arrived' says that
   breakpoints and the point have been looked at for this instruction.  */

#ifndef RETRO_TICKS_RUN_H
#define RETRO_TICKS_RUN_H

#include "ticks/cache.h"
#include "ticks/hooks.h"
#include "ticks/source.h"
#include "ticks/state.h"
#include "ticks/stops.h"
#include "ticks/ticks.h"

/* Translations, and what they were made of and for.  */
typedef struct
{
  Cache cache;
  Source source;
  Hooks hooks;
} Code;

enum
{
  CODE_COUNTED,
  CODE_UNCOUNTED,
  N_CODES
};

struct _Ticks
{
  int fd;
  guint8 *base; /* of ARENA_CACHE in the helper  */
  Code codes[N_CODES];
  State state;  /* copy of the task's state page  */
};

typedef struct
{
  Code *code;
  State *state;
  Task *task;
  const TicksRequest *request;
  TicksResult *result;
  Stops stops;
  Regs regs;
  gboolean arrived;
  gboolean indirect;  /* regs.rip was reached by an indirect transfer that missed  */
  TickCount left;     /* ticks still allowed  */
  gboolean dirty;     /* the state page is to be written before the cache is entered  */
} Run;

typedef enum
{
  RUN_GO,    /* go on at regs  */
  RUN_STOP,  /* result->stop says why  */
  RUN_ERROR
} RunNext;

/* run.c */

/* Forget all translations of CODE.  */
void run_flush (Code *code);
/* Make the task's registers the program's.  */
gboolean run_set_regs (Run *run, GError **error);
/* Let breakpoints and the point see regs.rip, unless they have.  */
RunNext run_arrive (Run *run, GError **error);
/* Execute the instruction at regs.rip in place.  */
RunNext run_step (Run *run, GError **error);
/* The state page into state and `left'.  */
gboolean run_read_state (Run *run, GError **error);
/* The pc that x87 instructions left in the task becomes the program's.  */
gboolean run_fix_x87 (Run *run, GError **error);

/* exits.c: translated code has left through EXIT; regs are raw.  */
RunNext run_exit (Run *run, const Exit *e, GError **error);

/* unwind.c */

/* The row that holds for cache address ADDR, or NULL.  */
const Row *unwind_find (const Run *run, Addr addr, const Block **block_ret);
/* Put spilled registers back into regs.  */
void unwind_registers (Run *run, guint spilled, guint scratch);
/* regs.rip is anywhere in the cache: go on to an instruction boundary of
   the program (RUN_GO), unless something else stops it first.  */
RunNext unwind_settle (Run *run, GError **error);
/* The instruction at regs.rip in the cache has raised result->siginfo.  */
RunNext unwind_fault (Run *run, GError **error);

/* rep.c: the instruction at regs.rip is about to run; if it is a repeated
   string instruction and the point lies between its iterations, go there.  */
RunNext rep_advance (Run *run, GError **error);

#endif
