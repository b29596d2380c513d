/* Breakpoints and watchpoints: kept by the session for all times, armed
   for one movement at a time.

   Nothing is ever written into the program's memory: the past is run by
   ticks_run, which looks at addresses itself, and the present by the
   recorder, which hides its own breakpoints.  So a trap costs nothing
   while time stands still.

   A watched range is cut into aligned pieces, each with a debug register;
   the CPU has four.  It cannot watch reads alone, and it triggers on
   writes that change nothing: values are compared here.  */

#include "timeline/private.h"

#include "base/error.h"

#include <string.h>

static void
trap_free (gpointer data)
{
  Trap *trap = data;

  if (trap->destroy != NULL)
    trap->destroy (trap->user);
  g_free (trap);
}

static Trap *
find_trap (Session *session, SessionTrapKind kind, Addr addr, gsize length, guint *index_ret)
{
  if (session->traps == NULL)
    session->traps = g_ptr_array_new_with_free_func (trap_free);
  for (guint i = 0; i < session->traps->len; i++)
    {
      Trap *trap = g_ptr_array_index (session->traps, i);

      if (trap->kind == kind && trap->addr == addr && (kind == SESSION_BREAK || trap->length == length))
        {
          *index_ret = i;
          return trap;
        }
    }
  return NULL;
}

/* The largest aligned piece at the beginning of a range.  */
static gsize
piece_at (Addr addr, gsize length)
{
  gsize size = 8;

  while (addr % size != 0 || size > length)
    size /= 2;
  return size;
}

static guint
count_pieces (Addr addr, gsize length)
{
  guint n = 0;

  while (length > 0 && n <= MAX_WATCHES)
    {
      gsize size = piece_at (addr, length);

      addr += size;
      length -= size;
      n++;
    }
  return n;
}

gboolean
session_insert (Session *session, SessionTrapKind kind, Addr addr, gsize length, SessionCondition condition,
                gpointer user, GDestroyNotify destroy, GError **error)
{
  guint index, pieces = 0;
  Trap *trap = find_trap (session, kind, addr, length, &index);

  if (trap == NULL && kind != SESSION_BREAK)
    {
      for (guint i = 0; i < session->traps->len; i++)
        {
          const Trap *other = g_ptr_array_index (session->traps, i);

          if (other->kind != SESSION_BREAK)
            pieces += count_pieces (other->addr, other->length);
        }
      if (length == 0 || pieces + count_pieces (addr, length) > MAX_WATCHES)
        {
          if (destroy != NULL)
            destroy (user);
          return error_set (error, RETRO_ERROR_LIMIT, "no more than %d aligned words can be watched", MAX_WATCHES);
        }
    }
  if (trap == NULL)
    {
      trap = g_new0 (Trap, 1);
      g_ptr_array_add (session->traps, trap);
    }
  else if (trap->destroy != NULL)
    trap->destroy (trap->user);
  *trap = (Trap){ kind, addr, length, condition, user, destroy };
  return TRUE;
}

gboolean
session_remove (Session *session, SessionTrapKind kind, Addr addr, gsize length, GError **error)
{
  guint index;

  if (find_trap (session, kind, addr, length, &index) == NULL)
    return error_set (error, RETRO_ERROR_USAGE, "nothing is inserted at 0x%" G_GINT64_MODIFIER "x", addr);
  g_ptr_array_remove_index (session->traps, index);
  return TRUE;
}

/* --- Armed --- */

typedef struct
{
  Armed *armed;
  Trap *trap;
} Context;

/* From ticks_run: the registers are the program's.  */
static gboolean
ask_condition (const Task *task, const Regs *regs, gpointer user)
{
  const Context *context = user;
  Session *session = context->armed->session;
  gboolean stop;

  session->looking = task;
  stop = context->trap->condition (session, context->armed->thread, regs, context->trap->user);
  session->looking = NULL;
  return stop;
}

static void
free_break_context (gpointer data)
{
  TicksBreak *b = data;

  g_free (b->user);
}

static void
arm_break (Armed *armed, Trap *trap, guint index)
{
  TicksBreak b = { .pc = trap->addr };

  if (trap->condition != NULL)
    {
      Context *context = g_new0 (Context, 1);

      context->armed = armed;
      context->trap = trap;
      b.condition = ask_condition;
      b.user = context;
    }
  g_array_append_val (armed->breaks, b);
  g_array_append_val (armed->owners, index);
}

static void
arm_watch (Armed *armed, const Trap *trap, guint index)
{
  Addr addr = trap->addr;
  gsize length = trap->length;

  while (length > 0 && armed->request.n_watches < MAX_WATCHES)
    {
      gsize size = piece_at (addr, length), n = armed->request.n_watches++;

      armed->request.watches[n] = (TicksWatch){ addr, (int) size, trap->kind == SESSION_WATCH_WRITE ? 1 : 3 };
      armed->watch_owner[n] = index;
      addr += size;
      length -= size;
    }
}

static GBytes *
read_value (Place *place, const Trap *trap)
{
  g_autofree guint8 *buffer = g_malloc0 (trap->length);

  task_read_some (replay_task (place->replay), trap->addr, buffer, trap->length);
  return g_bytes_new (buffer, trap->length);
}

static void
unref_value (gpointer data)
{
  if (data != NULL)
    g_bytes_unref (data);
}

void
armed_init (Armed *armed, Session *session, Place *place)
{
  memset (armed, 0, sizeof *armed);
  armed->session = session;
  armed->breaks = g_array_new (FALSE, FALSE, sizeof (TicksBreak));
  g_array_set_clear_func (armed->breaks, free_break_context);
  armed->owners = g_array_new (FALSE, FALSE, sizeof (guint));
  armed->values = g_ptr_array_new_with_free_func (unref_value);
  for (guint i = 0; i < session->traps->len; i++)
    {
      Trap *trap = g_ptr_array_index (session->traps, i);

      g_ptr_array_add (armed->values, NULL);
      if (trap->kind == SESSION_BREAK)
        arm_break (armed, trap, i);
      else
        arm_watch (armed, trap, i);
    }
  armed->request.max_ticks = G_MAXUINT64;
  armed->request.max_usec = SLICE_USEC;
  armed->request.breaks = (TicksBreak *) armed->breaks->data;
  armed->request.n_breaks = armed->breaks->len;
  armed_note_values (armed, place);
}

void
armed_clear (Armed *armed)
{
  g_array_unref (armed->breaks);
  g_array_unref (armed->owners);
  g_ptr_array_unref (armed->values);
}

void
armed_note_values (Armed *armed, Place *place)
{
  for (guint i = 0; i < armed->session->traps->len; i++)
    {
      const Trap *trap = g_ptr_array_index (armed->session->traps, i);

      if (trap->kind == SESSION_BREAK)
        continue;
      unref_value (armed->values->pdata[i]);
      armed->values->pdata[i] = read_value (place, trap);
    }
}

void
armed_set_skips (Armed *armed, guint64 n)
{
  for (guint i = 0; i < armed->breaks->len; i++)
    g_array_index (armed->breaks, TicksBreak, i).skip = n;
}

static gboolean
condition_holds (Armed *armed, Place *place, const Trap *trap)
{
  g_autoptr (GError) error = NULL;
  Regs regs;

  if (trap->condition == NULL)
    return TRUE;
  if (!task_get_regs (replay_task (place->replay), &regs, &error))
    return TRUE;
  armed->session->looking = replay_task (place->replay);
  gboolean holds = trap->condition (armed->session, armed->thread, &regs, trap->user);
  armed->session->looking = NULL;
  return holds;
}

/* Note the value of trap INDEX; has it changed?  */
static gboolean
note_change (Armed *armed, Place *place, guint index, const Trap *trap)
{
  g_autoptr (GBytes) value = read_value (place, trap);
  gboolean changed = armed->values->pdata[index] == NULL || !g_bytes_equal (value, armed->values->pdata[index]);

  if (changed)
    {
      unref_value (armed->values->pdata[index]);
      armed->values->pdata[index] = g_steal_pointer (&value);
    }
  return changed;
}

static void
fill_stop (const Trap *trap, Stop *stop)
{
  stop->kind = STOP_WATCH;
  stop->addr = trap->addr;
  stop->watch = trap->kind;
}

/* Is what has happened to TRAP, whose access was seen or not, one of its
   kind?  */
static gboolean
is_of_kind (const Trap *trap, gboolean seen, gboolean changed)
{
  switch (trap->kind)
    {
    case SESSION_WATCH_WRITE:
      return changed;
    case SESSION_WATCH_READ:
      return seen && !changed;
    default:
      return seen || changed;
    }
}

/* The CPU names one of them, though one access may be several traps' affair;
   and it may fail to name any.  So all values are compared.  */
gboolean
armed_watch_counts (Armed *armed, Place *place, gsize index, Stop *stop)
{
  guint owner = index != ANY_WATCH ? armed->watch_owner[index] : G_MAXUINT;
  const Trap *found = NULL;

  for (guint i = 0; i < armed->session->traps->len; i++)
    {
      const Trap *trap = g_ptr_array_index (armed->session->traps, i);

      if (trap->kind == SESSION_BREAK)
        continue;

      gboolean changed = note_change (armed, place, i, trap);

      if ((found == NULL || i == owner) && is_of_kind (trap, i == owner || index == ANY_WATCH, changed)
          && condition_holds (armed, place, trap))
        found = trap;
    }
  if (found != NULL)
    fill_stop (found, stop);
  return found != NULL;
}

gboolean
armed_event_counts (Armed *armed, Place *place, Stop *stop)
{
  gboolean counts = FALSE;

  for (guint i = 0; i < armed->session->traps->len; i++)
    {
      const Trap *trap = g_ptr_array_index (armed->session->traps, i);

      if (trap->kind == SESSION_BREAK || !note_change (armed, place, i, trap))
        continue;
      if (trap->kind == SESSION_WATCH_READ || counts || !condition_holds (armed, place, trap))
        continue;
      fill_stop (trap, stop);
      counts = TRUE;
    }
  return counts;
}

gboolean
armed_break_at (Armed *armed, Place *place, Addr pc)
{
  for (guint i = 0; i < armed->session->traps->len; i++)
    {
      const Trap *trap = g_ptr_array_index (armed->session->traps, i);

      if (trap->kind == SESSION_BREAK && trap->addr == pc && condition_holds (armed, place, trap))
        return TRUE;
    }
  return FALSE;
}
