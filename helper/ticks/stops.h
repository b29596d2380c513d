/* Where a request wants to stop: breakpoints and the point, by address.

   Shared by the translator and the single-stepping oracle.  At one
   instruction boundary several things may hold; the order is

     WATCH (of the instruction before), TICKS, POINT, BREAK, SYSCALL, TSC

   Several breakpoints at one pc are all counted at an arrival; the first
   one without skips left and with a true condition is the hit.  The
   second and later iterations of a repeated string instruction are no
   arrivals, but a point may lie there.  */

#ifndef RETRO_TICKS_STOPS_H
#define RETRO_TICKS_STOPS_H

#include "ticks/ticks.h"

/* Everything at one address.  */
typedef struct
{
  Addr pc;
  guint first, n;  /* of Stops.order  */
  gboolean point;  /* the point is here, and found by comparing  */
  gboolean counted_point; /* it is here and found by counting arrivals  */
} StopGroup;

typedef struct
{
  const TicksRequest *request;
  GArray *groups;     /* of StopGroup, by pc  */
  guint *order;       /* indexes into request->breaks, by pc  */
  guint64 point_left; /* arrivals at a counted point to come  */
} Stops;

void stops_init (Stops *stops, const TicksRequest *request);
void stops_clear (Stops *stops);

/* What is at PC, or NULL.  */
StopGroup *stops_find (const Stops *stops, Addr pc);
/* How many arrivals at GROUP may pass without a look; G_MAXUINT64: all.  */
guint64 stops_free_passes (const Stops *stops, const StopGroup *group);
/* So many have passed.  */
void stops_pass (Stops *stops, const StopGroup *group, guint64 passes);

typedef enum
{
  ARRIVE_GO,
  ARRIVE_STOP, /* RESULT says why  */
  ARRIVE_ERROR
} Arrive;

/* The task is about to execute REGS->rip (registers are in the task).
   BREAKS: this is an arrival that breakpoints see.  */
Arrive stops_arrive (Stops *stops, Task *task, const Regs *regs, gboolean breaks, TicksResult *result,
                     GError **error);

#endif
