/* A replay: one kernel task that repeats the program from its log.

   The task runs the program's code natively; the program's threads are
   sets of registers here.  Nothing of the program's system calls is
   performed but memory mapping (see log/event.h), so a copy of the task
   is a complete copy of the program at that moment: a snapshot is a
   Replay that nobody runs.

   Position: `event' events have been applied, and the current thread has
   executed `ticks' branches since then (only counted while moving through
   replay_run; natively replayed stretches start and end at 0).

     event 41        event 42          event 43
     --o---------------o------.----------o---
                       |      ^ here: event 43, ticks > 0
                       `- replay_event () == 43 - 0: 43 events (0..42) applied

   All errors leave the replay unusable except RETRO_ERROR_INTERRUPTED.  */

#ifndef RETRO_REPLAY_REPLAY_H
#define RETRO_REPLAY_REPLAY_H

#include "log/log.h"
#include "space/space.h"
#include "ticks/ticks.h"
#include "trace/task.h"

typedef struct _Replay Replay;

typedef struct
{
  ThreadNo no;
  pid_t tid;
  gboolean in_call;   /* entered by ENTER, EXIT not applied yet  */
  gboolean gone;      /* after THREAD_EXIT  */
  Regs regs;          /* valid unless it is the current thread  */
  GBytes *xstate;     /* likewise  */
  char name[16];
} ReplayThread;

/* Start the process from the image at event FIRST (an EV_IMAGE) of LOG,
   which must outlive it; applies it and the EV_MEMORY events after it.  */
Replay *replay_new (Log *log, EventNo first, GError **error);
/* An independent copy-on-write copy.  */
Replay *replay_copy (Replay *replay, GError **error);
/* Kill and free.  */
void replay_free (Replay *replay);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Replay, replay_free)

/* How many events have been applied.  */
EventNo replay_event (const Replay *replay);
/* Has the current thread left the place where the last event put it?  */
gboolean replay_is_inside (const Replay *replay);
Log *replay_log (const Replay *replay);

/* Run to the next event, check it and apply it.  At the end of the log:
   RETRO_ERROR_USAGE.  A difference from the log: RETRO_ERROR_DIVERGED.  */
gboolean replay_next (Replay *replay, GError **error);
/* replay_next until replay_event () == TARGET.  */
gboolean replay_to (Replay *replay, EventNo target, GError **error);
/* Asynchronous request to stop soon (signal safe): replay_next and
   replay_to return RETRO_ERROR_INTERRUPTED at an event or inside one
   stretch.  Cleared by the next call.  */
void replay_interrupt (void);

/* The task, its memory and model.  */
Task *replay_task (Replay *replay);
const Space *replay_space (const Replay *replay);

/* The thread that runs next: of the next event in the log.  Its registers
   are in the task after replay_select.  */
ThreadNo replay_current (const Replay *replay);
/* All threads ever, by number, in a GPtrArray of ReplayThread (owned).  */
const GPtrArray *replay_threads (const Replay *replay);
/* Registers of any thread, wherever they are.  */
gboolean replay_get_regs (Replay *replay, ThreadNo thread, Regs *regs_ret, GError **error);
gboolean replay_set_regs (Replay *replay, ThreadNo thread, const Regs *regs, GError **error);
GBytes *replay_get_xstate (Replay *replay, ThreadNo thread, GError **error);
gboolean replay_set_xstate (Replay *replay, ThreadNo thread, GBytes *xstate, GError **error);

/* ---- For those who move the task themselves (timeline) ---- */

/* Make the thread of the next event current: its registers go into the
   task.  A no-op when it is already, or when nothing runs before it.  */
gboolean replay_select (Replay *replay, GError **error);
/* The event that comes next, or NULL at the end of the log (valid until
   the next log_get).  */
const Event *replay_peek (Replay *replay, GError **error);
/* Does some thread run before EVENT is applied (SYSCALL, ENTER, TSC, POINT,
   sync SIGNAL), or is it applied where we are?  */
gboolean replay_event_runs (const Event *event);
/* The task was brought by ticks_run to the place of the next event (about
   to execute the syscall or rdtsc instruction, at the point, or at the
   instruction that faulted): check and apply the event.  */
gboolean replay_arrived (Replay *replay, GError **error);
/* The task executed something since the last event (for those who ran it
   without the functions below).  */
void replay_moved (Replay *replay);
/* Run the thread of the next event with ticks_run until a condition of
   REQUEST holds (its `point' and `space' are ours to set) or the next
   event is due: *DUE_RET, and replay_arrived is what to call then.  If the
   next event needs nothing to run, or there is none, it is due at once.
   A run that leads elsewhere than to the event: RETRO_ERROR_DIVERGED.  */
gboolean replay_run (Replay *replay, const TicksRequest *request, TicksResult *result_ret, gboolean *due_ret,
                     GError **error);
/* The same for one instruction (one iteration of a rep instruction); only
   the watches of REQUEST count.  result.stop is TICKS_STOP_WATCH, or
   TICKS_STOP_TICKS for a plain step.  */
gboolean replay_step (Replay *replay, const TicksRequest *request, TicksResult *result_ret, gboolean *due_ret,
                      GError **error);
/* The code cache shared by all copies of one root (made on first use).  */
Ticks *replay_ticks (Replay *replay, GError **error);

/* For a diversion, which leaves the log: make THREAD current, whatever comes
   next, out of any call; change memory or mappings by hand.  */
gboolean replay_switch (Replay *replay, ThreadNo thread, GError **error);
gboolean replay_poke (Replay *replay, Addr addr, gconstpointer data, gsize length, GError **error);
gboolean replay_poke_map (Replay *replay, const MapOp *op, GError **error);
/* How often the pc was at the next event's point in this stretch, before
   now: to be taken off its arrivals by a log that begins here.  */
guint64 replay_arrivals (const Replay *replay);

/* Make a Replay of a live moment: TASK is a single-task clone of the live
   process, made by the recorder (traced, stopped, no descriptors, nothing
   of the recorder in its memory), which now belongs to the replay; SPACE
   is copied; THREADS is an array of ThreadImage (the registers of each
   thread; in_call as of now), NEXT the number of events so far, FIRST the
   thread whose registers are to be in the task.  ROOT is a replay of the same
   program whose code cache is to be shared, or NULL.  Maps the arena and
   turns shared mappings into private ones.  */
Replay *replay_adopt (Log *log, Task *task, const Space *space, GArray *threads, ThreadNo first, EventNo next,
                      Replay *root, GError **error);

/* Digest of memory and of all threads' registers.  */
gboolean replay_digest (Replay *replay, guint64 *digest_ret, GError **error);

#endif
