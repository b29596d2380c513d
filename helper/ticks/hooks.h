/* Instrumented addresses: where translated code looks after breakpoints
   and the point.

   A hook at a pc is a few instructions in front of the instruction there,
   wherever it is translated. What they do depends on numbers in the state
   page only, so a hook stays in the code when the request that wanted it
   is over (its counter is then out of reach), and the next request at the
   same address needs no new translation.

     break hook:  slot counts down; at zero leave (EXIT_BREAK)
     point hook:  if its slot is not zero, and a weighted sum over general
                  registers and the point's words agrees, leave (EXIT_POINT)

   Where the instruction is a repeated string instruction, the point may
   lie between its iterations; rcx, rsi, rdi and the words are then left
   out of the sum.  */

#ifndef RETRO_TICKS_HOOKS_H
#define RETRO_TICKS_HOOKS_H

#include "ticks/source.h"
#include "ticks/state.h"
#include "ticks/stops.h"

#define HOOK_NO_SLOT G_MAXUINT

/* No run is long enough to count this down.  */
#define HOOK_NEVER (1ull << 62)

typedef struct
{
  Addr pc;
  guint break_slot, point_slot; /* or HOOK_NO_SLOT  */
  gboolean rep;
} Hook;

/* A break hook that the present request uses.  */
typedef struct
{
  const Hook *hook;
  StopGroup *group;
  guint64 loaded; /* the slot's value when last written  */
} ActiveHook;

typedef struct
{
  Source *source;
  GHashTable *by_pc; /* pc -> Hook  */
  guint n_slots;
  GArray *active;    /* of ActiveHook  */
} Hooks;

void hooks_init (Hooks *hooks, Source *source);
void hooks_clear (Hooks *hooks);
/* The hook at PC, or NULL.  */
const Hook *hooks_find (const Hooks *hooks, Addr pc);

/* Put hooks at all of STOPS, killing the blocks that lack them, and fill in
   the slots and the point of STATE.  FALSE: too many.  */
gboolean hooks_prepare (Hooks *hooks, Stops *stops, const Task *task, State *state);
/* STATE was read back: tell STOPS what has passed since the slots were
   loaded.  */
void hooks_collect (Hooks *hooks, Stops *stops, const State *state);
/* The skips have changed: load the slots anew.  */
void hooks_reload (Hooks *hooks, const Stops *stops, State *state);
/* Size of the part of State that is in use.  */
gsize hooks_state_size (const Hooks *hooks);

#endif
