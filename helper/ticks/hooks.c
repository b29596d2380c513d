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
want_hook (Hooks *hooks, const Task *task, const StopGroup *group)
{
  gboolean breaks = group->n > 0 || group->counted_point;
  Hook *hook = g_hash_table_lookup (hooks->by_pc, &group->pc);

  if (hook == NULL)
    {
      hook = g_new (Hook, 1);
      *hook = (Hook){ group->pc, HOOK_NO_SLOT, HOOK_NO_SLOT, FALSE };
      g_hash_table_insert (hooks->by_pc, &hook->pc, hook);
    }
  gboolean lacks_break = breaks && hook->break_slot == HOOK_NO_SLOT;
  gboolean lacks_point = group->point && hook->point_slot == HOOK_NO_SLOT;
  if (lacks_break)
    hook->break_slot = hooks->n_slots++;
  if (lacks_point)
    {
      hook->point_slot = hooks->n_slots++;
      hook->rep = is_rep (hooks, task, group->pc);
    }
  if (lacks_break || lacks_point)
    source_kill_at (hooks->source, group->pc);
  return hook;
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

/* The same sum as translate-hook.c makes code for.  */
static void
load_point (const PointId *point, gboolean rep, State *state)
{
  const Regs *r = &point->regs;
  const guint64 values[] = { r->rax, r->rdx, r->rbx, r->rsp, r->rbp, r->r8,  r->r9,  r->r10,
                             r->r11, r->r12, r->r13, r->r14, r->r15, r->rsi, r->rdi };
  guint n = rep ? G_N_ELEMENTS (values) - 2 : G_N_ELEMENTS (values);
  guint64 sum = rep ? 0 : r->rcx;

  for (guint i = 0; i < n; i++)
    sum = sum * 9 + values[i];
  for (guint i = 0; i < POINT_WORDS && !rep; i++)
    {
      gboolean used = i < point->n_words;

      state->point_words[i] = used ? point->words[i].addr : STATE_ADDR (zero);
      sum = sum * 9 + (used ? point->words[i].value : 0);
    }
  state->point_sum = -sum;
}

gboolean
hooks_prepare (Hooks *hooks, Stops *stops, const Task *task, State *state)
{
  guint n = stops->groups->len;

  g_array_set_size (hooks->active, 0);
  if (n > HOOKS_MAX)
    return FALSE;
  if (hooks->n_slots + 2 * n > STATE_SLOTS || g_hash_table_size (hooks->by_pc) > HOOKS_SWEEP + n)
    sweep (hooks);
  for (guint i = 0; i < n; i++)
    {
      StopGroup *group = &g_array_index (stops->groups, StopGroup, i);
      const Hook *hook = want_hook (hooks, task, group);
      ActiveHook active = { hook, group, 0 };

      if (group->n > 0 || group->counted_point)
        g_array_append_val (hooks->active, active);
    }
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, hooks->by_pc);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Hook *hook = value;
      const StopGroup *group = hook->point_slot != HOOK_NO_SLOT ? stops_find (stops, hook->pc) : NULL;
      gboolean armed = group != NULL && group->point;

      if (hook->break_slot != HOOK_NO_SLOT)
        state->slots[hook->break_slot] = HOOK_NEVER;
      if (hook->point_slot != HOOK_NO_SLOT)
        state->slots[hook->point_slot] = armed;
      if (armed)
        load_point (stops->request->point, hook->rep, state);
    }
  hooks_reload (hooks, stops, state);
  return TRUE;
}

void
hooks_collect (Hooks *hooks, Stops *stops, const State *state)
{
  for (guint i = 0; i < hooks->active->len; i++)
    {
      ActiveHook *active = &g_array_index (hooks->active, ActiveHook, i);
      guint64 value = state->slots[active->hook->break_slot];

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
      state->slots[active->hook->break_slot] = active->loaded;
    }
}

gsize
hooks_state_size (const Hooks *hooks)
{
  return STATE_HEAD + hooks->n_slots * sizeof (guint64);
}
