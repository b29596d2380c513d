/* Instrumented addresses: see hooks.h.  */

#include "ticks/hooks.h"

#include "ticks/insn.h"

/* More hooks than this at once are too many; more than this in all are
   swept away before new ones are made.  */
#define HOOKS_MAX (STATE_SLOTS / 2)
#define HOOKS_SWEEP 512

void
hooks_init (Hooks *hooks, Source *source)
{
  hooks->source = source;
  hooks->by_pc = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  hooks->n_slots = 0;
  memset (&hooks->point, 0, sizeof hooks->point);
  hooks->active = g_array_new (FALSE, FALSE, sizeof (ActiveHook));
}

void
hooks_clear (Hooks *hooks)
{
  g_hash_table_destroy (hooks->by_pc);
  g_array_free (hooks->active, TRUE);
}

const Hook *
hooks_find (const Hooks *hooks, Addr pc)
{
  return g_hash_table_lookup (hooks->by_pc, &pc);
}

static gboolean
is_rep (Hooks *hooks, const Task *task, Addr pc)
{
  guint8 bytes[INSN_MAX];
  gboolean guarded;
  Insn insn;

  gsize n = source_read (hooks->source, task, pc, bytes, sizeof bytes, &guarded);
  return insn_decode (bytes, n, pc, &insn) && insn.rep;
}

static Hook *
want_break (Hooks *hooks, Addr pc)
{
  Hook *hook = g_hash_table_lookup (hooks->by_pc, &pc);

  if (hook == NULL)
    {
      hook = g_new (Hook, 1);
      *hook = (Hook){ pc, hooks->n_slots++ };
      g_hash_table_insert (hooks->by_pc, &hook->pc, hook);
      source_kill_at (hooks->source, pc);
    }
  return hook;
}

static void
want_point (Hooks *hooks, const Task *task, const PointId *point)
{
  PointHook wanted = pointhook_choose (point, task, is_rep (hooks, task, point->regs.rip));

  if (memcmp (&wanted, &hooks->point, sizeof wanted) == 0)
    return;
  if (hooks->point.used)
    source_kill_at (hooks->source, hooks->point.pc);
  hooks->point = wanted;
  source_kill_at (hooks->source, wanted.pc);
}

static void
sweep (Hooks *hooks)
{
  GHashTableIter iter;
  gpointer hook;

  g_hash_table_iter_init (&iter, hooks->by_pc);
  while (g_hash_table_iter_next (&iter, NULL, &hook))
    source_kill_at (hooks->source, ((Hook *) hook)->pc);
  g_hash_table_remove_all (hooks->by_pc);
  hooks->n_slots = 0;
}

/* A point hook without a point finds nothing.  */
static void
disarm_point (State *state)
{
  state->point_filter = HOOK_NEVER;
  state->point_sum = HOOK_NEVER;
  for (guint i = 0; i < POINT_WORDS; i++)
    state->point_words[i] = state->xstate_words[i] = STATE_ADDR (zero);
}

gboolean
hooks_prepare (Hooks *hooks, Stops *stops, const Task *task, State *state)
{
  guint n = stops->groups->len;

  g_array_set_size (hooks->active, 0);
  if (n > HOOKS_MAX)
    return FALSE;
  if (hooks->n_slots + n > STATE_SLOTS || g_hash_table_size (hooks->by_pc) > HOOKS_SWEEP + n)
    sweep (hooks);
  disarm_point (state);
  for (guint i = 0; i < n; i++)
    {
      StopGroup *group = &g_array_index (stops->groups, StopGroup, i);

      if (group->n > 0 || group->counted_point)
        {
          ActiveHook active = { want_break (hooks, group->pc), group, 0 };

          g_array_append_val (hooks->active, active);
        }
      if (group->point)
        {
          want_point (hooks, task, stops->request->point);
          pointhook_load (&hooks->point, stops->request->point, state);
        }
    }
  GHashTableIter iter;
  gpointer hook;
  g_hash_table_iter_init (&iter, hooks->by_pc);
  while (g_hash_table_iter_next (&iter, NULL, &hook))
    state->slots[((Hook *) hook)->slot] = HOOK_NEVER;
  hooks_reload (hooks, stops, state);
  return TRUE;
}

void
hooks_collect (Hooks *hooks, Stops *stops, const State *state)
{
  for (guint i = 0; i < hooks->active->len; i++)
    {
      ActiveHook *active = &g_array_index (hooks->active, ActiveHook, i);
      guint64 value = state->slots[active->hook->slot];

      stops_pass (stops, active->group, active->loaded - value);
      active->loaded = value;
    }
}

void
hooks_reload (Hooks *hooks, const Stops *stops, State *state)
{
  for (guint i = 0; i < hooks->active->len; i++)
    {
      ActiveHook *active = &g_array_index (hooks->active, ActiveHook, i);

      active->loaded = MIN (stops_free_passes (stops, active->group), HOOK_NEVER - 1) + 1;
      state->slots[active->hook->slot] = active->loaded;
    }
}

gsize
hooks_state_size (const Hooks *hooks)
{
  return STATE_HEAD + hooks->n_slots * sizeof (guint64);
}
