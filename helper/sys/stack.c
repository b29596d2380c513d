/* The main stack, and the limit that the kernel lets it grow to.

   The kernel extends the stack when memory below it is touched.  A replay
   has it mapped to the full extent from the start, so that nothing has to
   be extended; the extent is what RLIMIT_STACK allows, and changes with it,
   for a stack overflow must happen at the same address.

        floor    |<-- 1 MB guard -->|              start      end
     ---mapping--|                  |...may grow to...|==stack==|  */

#include "sys/mapped.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define MAX_STACK ((guint64) 1 << 30)
#define GUARD (256 * PAGE_SIZE_)

Addr
sys_stack_start (const Task *task, Addr start, Addr end, Addr floor)
{
  struct rlimit limit;
  guint64 size = MAX_STACK;

  if (prlimit (task->tid, RLIMIT_STACK, NULL, &limit) == 0 && limit.rlim_cur < MAX_STACK)
    size = PAGE_DOWN (limit.rlim_cur);
  return MIN (start, MAX (end - size, floor + GUARD));
}

/* Let the model's stack be as large as the limit allows now.  */
static gboolean
resize_stack (SysCall *call, Event *event, GError **error)
{
  const Space *space = call->space;
  const Mapping *stack = NULL;
  guint i;

  for (i = 0; i < space->maps->len && stack == NULL; i++)
    if (g_array_index (space->maps, Mapping, i).flags & MAP_STACK_)
      stack = &g_array_index (space->maps, Mapping, i);
  if (stack == NULL)
    return TRUE;
  g_autoptr (GArray) maps = maps_read (call->task->tid, error);
  if (maps == NULL)
    return FALSE;
  const MapsEntry *now = maps_find (maps, stack->end - 1);
  if (now == NULL)
    return TRUE;
  Addr floor = i > 1 ? g_array_index (space->maps, Mapping, i - 2).end : 0;
  Addr start = sys_stack_start (call->task, MAX (now->start, stack->start), stack->end, floor);
  MapOp op = { .kind = start < stack->start ? MAP_OP_MAP : MAP_OP_UNMAP,
               .addr = MIN (start, stack->start),
               .length = MAX (start, stack->start) - MIN (start, stack->start),
               .prot = stack->prot,
               .flags = MAP_STACK_,
               .file = NO_FILE };
  if (op.length > 0)
    event_add_op (event, &op);
  return TRUE;
}

static gboolean
leave_setrlimit (SysCall *call, Event *event, GError **error)
{
  if (sys_failed (call) || sys_int (call, 0) != RLIMIT_STACK)
    return TRUE;
  return resize_stack (call, event, error);
}

static gboolean
leave_prlimit64 (SysCall *call, Event *event, GError **error)
{
  if (sys_failed (call) || sys_int (call, 1) != RLIMIT_STACK || call->args[2] == 0)
    return TRUE;
  return resize_stack (call, event, error);
}

const SysNumbered sys_rows_stack[] = {
  R (setrlimit, "dp", .leave = leave_setrlimit),
  R (prlimit64, "ddpp", OUTS (BYTES (3, 16)), .leave = leave_prlimit64),
  ROWS_END,
};
