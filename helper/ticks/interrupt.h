/* Stopping a running stretch from outside: ticks_interrupt and max_usec.

   A run is bracketed by interrupt_begin and interrupt_end.  In between, a
   signal handler (the user's Ctrl-C, or SIGALRM of our own timer) sets a
   flag and makes the kernel stop the task; the run then sees a stop that
   is not its own, asks interrupt_pending and ends.

   A request to stop may come just when the task stops for a reason of its
   own and so be left over; interrupt_end eats it, lest the next user of
   the task meet it.  */

#ifndef RETRO_TICKS_INTERRUPT_H
#define RETRO_TICKS_INTERRUPT_H

#include "trace/task.h"

/* Is STATUS, of waitpid, the stop that an interrupt makes?  */
gboolean interrupt_is_stop (int status);

gboolean interrupt_begin (const Task *task, guint64 max_usec, GError **error);
gboolean interrupt_pending (void);
/* FALSE if the task died.  The task is where it was.  */
gboolean interrupt_end (const Task *task, GError **error);

/* Make the task leave the kernel's side of its stop and stop again, without
   executing anything.  */
gboolean interrupt_renew (const Task *task, GError **error);

#endif
