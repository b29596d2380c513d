/* What the files of helper/timeline share; nobody else includes this.

     place.c       a replay with its position; seeking and single steps
     snapshots.c   dormant places: kept, thinned, measured
     seek.c        going to a position
     traps.c       breakpoints and watchpoints as requests for ticks_run
     forward.c     forward in the past
     backward.c    backward: searching, and going to the last find
     previous.c    the instruction before this one
     live.c        forward at the frontier
     divert.c      diversions and running in them
     resume.c      which of these a movement is; what it leaves behind
     session.c     making and ending sessions, seeking
     view.c        threads, registers, memory, maps of here
     checkpoints.c checkpoints
     save.c        writing a part of history as a recording
     search.c      session_search
     last.c        session_search_last
     statement.c   back to the beginning of a statement
     interrupt.c   the user's interrupt while moving  */

#ifndef RETRO_TIMELINE_PRIVATE_H
#define RETRO_TIMELINE_PRIVATE_H

#include "base/scratch.h"
#include "record/record.h"
#include "timeline/session.h"

/* ---- place.c ---- */

typedef struct
{
  Replay *replay;
  TickCount ticks; /* since the last event  */
} Place;

Place *place_new (Replay *replay /* taken */);
Place *place_copy (Place *place, GError **error);
void place_free (Place *place);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Place, place_free)

gboolean place_position (Place *place, Position *position_ret, GError **error);
/* Part of a stretch: see replay_run, replay_step.  */
gboolean place_run (Place *place, const TicksRequest *request, TicksResult *result_ret, gboolean *due_ret,
                    GError **error);
gboolean place_step (Place *place, const TicksRequest *request, TicksResult *result_ret, gboolean *due_ret,
                     GError **error);
/* The event is due: apply it.  */
gboolean place_apply (Place *place, GError **error);
/* Natively to the next event, and past it.  */
gboolean place_next (Place *place, GError **error);
/* Forward to the target of branch TICKS of this stretch.  */
gboolean place_to_ticks (Place *place, TickCount ticks, GError **error);
/* From the present block on to INSN (and REPS) without a branch.  */
gboolean place_to_insn (Place *place, Addr insn, guint64 reps, GError **error);
/* Forward to the end of the stretch, where the next event is due.  */
gboolean place_to_due (Place *place, GError **error);

/* ---- snapshots.c ---- */

typedef enum
{
  SNAP_NEAR,  /* close behind a place the user steps back from  */
  SNAP_STOP,  /* a stop or a time of the run  */
  SNAP_PINNED /* the first, checkpoints: never dropped  */
} SnapshotKind;

typedef struct
{
  Place *place;
  Position position;
  SnapshotKind kind;
  double cost;   /* of replaying so far, roughly nanoseconds  */
  guint64 bytes; /* its own memory when last measured  */
} Snapshot;

/* Add PLACE (taken, freed if it is not needed).  */
void snapshots_add (Session *session, Place *place, SnapshotKind kind);
/* The same for a copy; failing (no memory) is no error.  */
void snapshots_add_copy (Session *session, Place *place, SnapshotKind kind);
/* The last one at or before POSITION; there is always one.  */
Snapshot *snapshots_find (Session *session, const Position *position);
/* The last one before POSITION, or NULL.  */
Snapshot *snapshots_find_before (Session *session, const Position *position);
void snapshots_unpin (Session *session, const Position *position);

/* ---- seek.c ---- */

/* A place at POSITION made from the nearest snapshot; leaves some behind on
   a long way.  NEAR: more of them, for steps back from there.  */
Place *seek_place (Session *session, const Position *position, gboolean near, GError **error);
/* ... at the end of the stretch after EVENT events.  */
Place *seek_due (Session *session, EventNo event, gboolean near, GError **error);
/* ... at the target of the branch number TICKS of that stretch.  */
Place *seek_ticks (Session *session, EventNo event, TickCount ticks, GError **error);

/* ---- traps.c ---- */

typedef struct
{
  SessionTrapKind kind;
  Addr addr;
  gsize length;
  SessionCondition condition;
  gpointer user;
  GDestroyNotify destroy;
} Trap;

#define MAX_WATCHES 4

/* The traps as a request, for one movement.  */
typedef struct
{
  Session *session;
  TicksRequest request; /* with breaks and watches  */
  GArray *breaks;       /* of TicksBreak  */
  GArray *owners;       /* of guint: index of the trap of each break  */
  guint watch_owner[MAX_WATCHES];
  GPtrArray *values;    /* GBytes of each watch trap, NULL for breakpoints  */
  ThreadNo thread;      /* for conditions  */
} Armed;

void armed_init (Armed *armed, Session *session, Place *place);
void armed_clear (Armed *armed);
/* Remember the watched values as they are at PLACE.  */
void armed_note_values (Armed *armed, Place *place);
/* All skips to N, for counting.  */
void armed_set_skips (Armed *armed, guint64 n);
/* Watch INDEX of the request has triggered (ANY_WATCH: one of them): does
   any watchpoint stop here?  Notes the new values.  */
#define ANY_WATCH G_MAXSIZE
gboolean armed_watch_counts (Armed *armed, Place *place, gsize index, Stop *stop);
/* An event has been applied: has it changed a watched value?  */
gboolean armed_event_counts (Armed *armed, Place *place, Stop *stop);
/* Is there a breakpoint, whose condition holds, at PC?  */
gboolean armed_break_at (Armed *armed, Place *place, Addr pc);

/* ---- events of interest (forward.c) ---- */

typedef enum
{
  EDGE_BEFORE, /* a stop in front of the event  */
  EDGE_AFTER
} Edge;

/* Does the user want to stop at EVENT, on this side of it?  */
gboolean event_stops (Session *session, const Event *event, Edge edge, Stop *stop);

/* ---- movement ---- */

/* How a movement ended.  */
typedef enum
{
  MOVED_STOP,
  MOVED_FRONTIER /* forward: at the present, and not done yet  */
} Moved;

gboolean move_forward (Session *session, const SessionRequest *request, Stop *stop, Moved *moved_ret, GError **error);
gboolean move_backward (Session *session, const SessionRequest *request, Stop *stop, GError **error);
gboolean move_live (Session *session, const SessionRequest *request, Stop *stop, GError **error);
gboolean move_diverted (Session *session, const SessionRequest *request, Stop *stop, GError **error);
/* live.c: make here a copy of the live program as it is.  */
gboolean live_arrive (Session *session, gboolean new_program, GError **error);

/* previous.c: a place at the start of the last instruction before POSITION
   that THREAD (NO_THREAD: any) executed; NULL without an error if there is
   none.  */
Place *previous_place (Session *session, const Position *position, ThreadNo thread, GError **error);

/* ---- interrupt.c ---- */

void interrupt_start (Session *session);
void interrupt_finish (Session *session);
/* The rest of the movement is not to be interrupted.  */
void interrupt_defer (void);
/* Has something come that may be an interrupt?  */
gboolean interrupt_is_due (void);
/* Does the user want to stop?  */
gboolean interrupt_wanted (Session *session);
/* FALSE with RETRO_ERROR_INTERRUPTED if so.  */
gboolean interrupt_check (Session *session, GError **error);

/* A run in the past looks around this often.  */
#define SLICE_USEC 50000

struct _Session
{
  Log *log;
  Recorder *recorder; /* NULL: a recording  */
  char *dir;
  Scratch scratch; /* dir, unless the user named it  */
  SessionOptions options;
  pid_t pid;
  Position begin;

  Place *here;
  Place *history;     /* in a diversion: where history stands  */
  gboolean asked;     /* the diversion was asked for  */
  ThreadNo thread;    /* of the last stop  */
  StopKind stop_kind; /* ... and what it was  */
  siginfo_t siginfo;
  gboolean has_siginfo;
  EventNo reported;   /* a stop in front of this event has been shown; G_MAXUINT64: none  */
  LiveStop live_stop; /* the last one  */
  gboolean was_away;  /* here was in the past since then  */

  GPtrArray *snapshots; /* of Snapshot, by position  */
  Place *root;          /* keeps the code cache of the present program  */
  guint64 snapshot_limit;
  gint64 measured;      /* when their memory last was  */

  GPtrArray *traps;     /* of Trap  */
  GArray *catch;        /* of gint64, NULL: none  */
  guint64 pass;
  guint report;

  GPtrArray *checkpoints; /* of Checkpoint  */
  int next_checkpoint;

  const Task *looking; /* where reads go while a condition is evaluated  */

  int poll_fd;
  gboolean (*poll_func) (gpointer user);
  gpointer poll_user;
};

#endif
