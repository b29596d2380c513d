/* Instrumented addresses: where translated code looks after breakpoints
   and the point.

   A hook at a pc is a few instructions in front of the instruction there,
   wherever it is translated.

   A break hook's slot in the state page counts down; at zero leave
   (EXIT_BREAK).  It stays in the code when the request that wanted it is
   over (its counter is then out of reach), and the next request at the
   same address needs no new translation.

   There is one point hook (pointhook.h) at a time; it leaves the code when
   another point is looked for, since those of a whole recording would
   crowd a hot loop.  */

#ifndef RETRO_TICKS_HOOKS_H
#define RETRO_TICKS_HOOKS_H

#include "ticks/pointhook.h"
#include "ticks/source.h"
#include "ticks/state.h"
#include "ticks/stops.h"

/* No run is long enough to count this down.  */
#define HOOK_NEVER (1ull << 62)

typedef struct
{
  Addr pc;
  guint slot;
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
  PointHook point;
  GArray *active;    /* of ActiveHook  */
} Hooks;

void hooks_init (Hooks *hooks, Source *source);
void hooks_clear (Hooks *hooks);
/* The break hook at PC, or NULL.  */
const Hook *hooks_find (const Hooks *hooks, Addr pc);

/* Put hooks at all of STOPS, killing the blocks that lack them, and fill in
   what they compare with in STATE.  FALSE: too many.  */
gboolean hooks_prepare (Hooks *hooks, Stops *stops, const Task *task, State *state);
/* STATE was read back: tell STOPS what has passed since the slots were
   loaded.  */
void hooks_collect (Hooks *hooks, Stops *stops, const State *state);
/* The skips have changed: load the slots anew.  */
void hooks_reload (Hooks *hooks, const Stops *stops, State *state);
/* Size of the part of State that is in use.  */
gsize hooks_state_size (const Hooks *hooks);

#endif
