/* Breakpoints and points by address: see stops.h.  */

#include "ticks/stops.h"

#include "base/error.h"
#include "record/point.h"

static int
compare_breaks (gconstpointer a, gconstpointer b, gpointer user)
{
  const TicksBreak *breaks = user;
  guint i = *(const guint *) a, j = *(const guint *) b;

  if (breaks[i].pc != breaks[j].pc)
    return breaks[i].pc < breaks[j].pc ? -1 : 1;
  return i < j ? -1 : i > j;
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  Addr pc = ((const StopGroup *) a)->pc, other = ((const StopGroup *) b)->pc;

  return pc < other ? -1 : pc > other;
}

static void
add_point (Stops *stops, const PointId *point)
{
  StopGroup *found = NULL, fresh = { .pc = point->regs.rip };

  for (guint i = 0; i < stops->groups->len; i++)
    if (g_array_index (stops->groups, StopGroup, i).pc == fresh.pc)
      found = &g_array_index (stops->groups, StopGroup, i);
  StopGroup *group = found != NULL ? found : &fresh;
  group->point = point->arrivals == 0;
  group->counted_point = !group->point;
  stops->point_left = point->arrivals;
  if (found == NULL)
    {
      g_array_append_val (stops->groups, fresh);
      g_array_sort (stops->groups, compare_groups);
    }
}

void
stops_init (Stops *stops, const TicksRequest *request)
{
  guint n = (guint) request->n_breaks;

  stops->request = request;
  stops->groups = g_array_new (FALSE, FALSE, sizeof (StopGroup));
  stops->order = g_new (guint, n);
  stops->point_left = 0;
  for (guint i = 0; i < n; i++)
    stops->order[i] = i;
  if (n > 1)
    g_qsort_with_data (stops->order, (gint) n, sizeof (guint), compare_breaks, request->breaks);
  for (guint i = 0; i < n;)
    {
      StopGroup group = { .pc = request->breaks[stops->order[i]].pc, .first = i };

      while (i < n && request->breaks[stops->order[i]].pc == group.pc)
        i++;
      group.n = i - group.first;
      g_array_append_val (stops->groups, group);
    }
  if (request->point != NULL)
    add_point (stops, request->point);
}

void
stops_clear (Stops *stops)
{
  g_array_free (stops->groups, TRUE);
  g_free (stops->order);
}

StopGroup *
stops_find (const Stops *stops, Addr pc)
{
  guint low = 0, high = stops->groups->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      StopGroup *group = &g_array_index (stops->groups, StopGroup, middle);

      if (group->pc == pc)
        return group;
      if (group->pc < pc)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

guint64
stops_free_passes (const Stops *stops, const StopGroup *group)
{
  guint64 free_passes = group->counted_point ? stops->point_left - 1 : G_MAXUINT64;

  for (guint i = 0; i < group->n; i++)
    free_passes = MIN (free_passes, stops->request->breaks[stops->order[group->first + i]].skip);
  return free_passes;
}

void
stops_pass (Stops *stops, const StopGroup *group, guint64 passes)
{
  if (group->counted_point)
    stops->point_left -= passes;
  for (guint i = 0; i < group->n; i++)
    stops->request->breaks[stops->order[group->first + i]].skip -= passes;
}

/* Is REGS where a repeated string instruction starts that later passes the
   point?  */
static gboolean
may_be_inside_rep (const PointId *point, const Regs *regs)
{
  PointId wish = *point;

  wish.regs.rcx = regs->rcx;
  wish.regs.rsi = regs->rsi;
  wish.regs.rdi = regs->rdi;
  return point->regs.rcx < regs->rcx && point_match_regs (&wish, regs);
}

/* A point that is found by counting: nothing else can be it.  */
static Arrive
check_counted_point (Stops *stops, StopGroup *group, Task *task, const Regs *regs, TicksResult *result,
                     GError **error)
{
  const TicksRequest *request = stops->request;

  if (stops->point_left == 0 || --stops->point_left != 0)
    return ARRIVE_GO;
  if (may_be_inside_rep (request->point, regs))
    {
      group->counted_point = FALSE;
      group->point = TRUE;
      return ARRIVE_GO;
    }
  if (!point_match (request->point, task, request->space, regs))
    {
      error_set (error, RETRO_ERROR_DIVERGED, "arrival %" G_GUINT64_FORMAT " at 0x%llx is not as recorded",
                 request->point->arrivals, regs->rip);
      return ARRIVE_ERROR;
    }
  result->stop = TICKS_STOP_POINT;
  return ARRIVE_STOP;
}

Arrive
stops_arrive (Stops *stops, Task *task, const Regs *regs, gboolean breaks, TicksResult *result, GError **error)
{
  StopGroup *group = stops_find (stops, regs->rip);
  const TicksRequest *request = stops->request;
  gboolean hit = FALSE;

  if (group == NULL)
    return ARRIVE_GO;
  if (group->point && point_match_regs (request->point, regs)
      && point_match (request->point, task, request->space, regs))
    {
      result->stop = TICKS_STOP_POINT;
      return ARRIVE_STOP;
    }
  if (!breaks)
    return ARRIVE_GO;
  if (group->counted_point)
    {
      Arrive arrive = check_counted_point (stops, group, task, regs, result, error);

      if (arrive != ARRIVE_GO)
        return arrive;
    }
  for (guint i = 0; i < group->n; i++)
    {
      guint index = stops->order[group->first + i];
      TicksBreak *b = &request->breaks[index];

      if (b->skip > 0)
        b->skip--;
      else if (!hit && (b->condition == NULL || b->condition (task, regs, b->user)))
        {
          hit = TRUE;
          result->stop = TICKS_STOP_BREAK;
          result->hit = index;
        }
    }
  return hit ? ARRIVE_STOP : ARRIVE_GO;
}
