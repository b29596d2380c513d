/* A session: one program with a past, as a debugger sees it.

   The user always looks at a copy (a Replay, `here'), at the present too.
   Every stop of the live program is made an event of the log (EV_POINT),
   so the log always reaches the frontier, and all that works in the past
   works at the present.

     begin                                        frontier
     |----S-----S---------S--------S---------------|  live process, frozen
                    ^ here (a copy of the S before it, run forward)

   Moving forward at the frontier resumes the live program (recording) and
   then takes a new copy of it; moving anywhere else copies a snapshot and
   replays.  A recording opened from disk has no live process: its end is
   the end of history.

   Writes: at the frontier they go to the live program as EV_POKE events
   (and to `here'); in the past they turn `here' into a diversion, which
   the next movement in time throws away.  Function calls by the debugger
   (registers set, then resumed) run in a diversion, always: see
   session_set_regs.

   One thread, no callbacks into the client: a movement blocks until it
   stops; session_interrupt (or a readable interrupt descriptor) ends it
   early at a clean place.  Movements that fail leave `here' where it was,
   except that a dead live program becomes a recording.  */

#ifndef RETRO_TIMELINE_SESSION_H
#define RETRO_TIMELINE_SESSION_H

#include "log/log.h"
#include "replay/replay.h"
#include "ticks/ticks.h"

/* A moment.  Ordered by event, then ticks, then insn (pcs ascend between
   two branches), then reps.  The pc is for people and takes no part.  */
typedef struct
{
  EventNo event;   /* events applied  */
  TickCount ticks; /* branches executed by the current thread since  */
  Addr insn;       /* 0: nothing was executed since the event; else the pc  */
  guint64 reps;    /* at a rep instruction: ~rcx, which orders its iterations  */
  Addr pc;         /* of the thread that runs next  */
} Position;

int position_compare (const Position *a, const Position *b);

typedef struct _Session Session;

typedef struct
{
  gboolean check;
  guint32 seed;
  guint64 snapshot_usec;   /* 250000  */
  guint64 snapshot_memory; /* bytes; 0: a quarter of RAM  */
  char *dir;               /* where to keep the recording; NULL: a private one, deleted in the end  */
} SessionOptions;

/* Start ARGV (NULL-terminated) stopped at its first instruction, with ENV
   (or NULL for ours) and CWD (or NULL); record it.  DISABLE_ASLR is always
   in force.  */
Session *session_run (char **argv, char **env, const char *cwd, const SessionOptions *options, GError **error);
/* Attach to a running process, all its threads; the past begins here.  */
Session *session_attach (pid_t pid, const SessionOptions *options, GError **error);
/* A recording from disk; at its end (or begin).  */
Session *session_open (const char *dir, gboolean at_end, const SessionOptions *options, GError **error);
/* Kill the live program (if any) and clean up.  */
void session_free (Session *session);
/* Let the live program go on untraced, then clean up.  An error if there
   is none.  */
gboolean session_detach (Session *session, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Session, session_free)

/* ---- Where we are ---- */

void session_position (Session *session, Position *position_ret);
gboolean session_is_live (const Session *session);        /* there is a live process  */
gboolean session_at_frontier (const Session *session);
gboolean session_at_begin (const Session *session);
gboolean session_in_diversion (const Session *session);
Log *session_log (Session *session);
/* pid as the program knows it.  */
pid_t session_pid (const Session *session);
/* Absolute path of the program of this moment (an exec changes it).  */
char *session_exec_file (Session *session);

/* Threads alive here, in a GArray of ThreadNo.  tid and name as the
   program knows them.  */
GArray *session_threads (Session *session);
pid_t session_tid (Session *session, ThreadNo thread);
char *session_thread_name (Session *session, ThreadNo thread);
/* The thread of the last stop / the one that runs next.  */
ThreadNo session_current_thread (Session *session);

gboolean session_get_regs (Session *session, ThreadNo thread, Regs *regs_ret, GError **error);
/* Setting registers makes a diversion unless we are in one.  */
gboolean session_set_regs (Session *session, ThreadNo thread, const Regs *regs, GError **error);
/* A lasting change: at the frontier of a live program, outside of a
   diversion, an EV_POKE.  XSTATE may be NULL: unchanged.  Else an error.  */
gboolean session_poke_regs (Session *session, ThreadNo thread, const Regs *regs, GBytes *xstate, GError **error);
GBytes *session_get_xstate (Session *session, ThreadNo thread, GError **error);
gboolean session_set_xstate (Session *session, ThreadNo thread, GBytes *xstate, GError **error);
gsize session_read (Session *session, Addr addr, void *buffer, gsize length);
/* The same from history: in a diversion, from the place where it was
   entered; else as session_read.  */
gsize session_read_history (Session *session, Addr addr, void *buffer, gsize length);
gboolean session_write (Session *session, Addr addr, const void *buffer, gsize length, GError **error);
/* Text like /proc/PID/maps of this moment; the auxv bytes.  */
char *session_maps (Session *session);
GBytes *session_auxv (Session *session);
/* siginfo of the last stop by a signal, or NULL.  */
const siginfo_t *session_siginfo (Session *session);

/* ---- Breakpoints and watchpoints (of the whole session, any time) ---- */

/* Condition of a stop: TRUE to stop.  Evaluated by the server on agent
   bytecode; reads through session_read / the given registers.  */
typedef gboolean (*SessionCondition) (Session *session, ThreadNo thread, const Regs *regs, gpointer user);

typedef enum
{
  SESSION_BREAK,       /* software or hardware breakpoint: before the instruction at addr  */
  SESSION_WATCH_WRITE, /* the value changed  */
  SESSION_WATCH_READ,
  SESSION_WATCH_ACCESS
} SessionTrapKind;

/* At most four watches (aligned pieces count) else RETRO_ERROR_LIMIT.
   Inserting what is there again replaces its condition.  */
gboolean session_insert (Session *session, SessionTrapKind kind, Addr addr, gsize length, SessionCondition condition,
                         gpointer user, GDestroyNotify destroy, GError **error);
gboolean session_remove (Session *session, SessionTrapKind kind, Addr addr, gsize length, GError **error);

/* Which system calls stop at entry and return: NULL none, empty array all,
   else numbers (gint64).  Signals to pass without a stop: a bit for each
   signal number.  Events (fork, vfork, clone, exec) reported or not.  */
void session_catch_syscalls (Session *session, GArray *numbers);
void session_pass_signals (Session *session, guint64 mask);
#define SESSION_REPORT_FORK 1u
#define SESSION_REPORT_VFORK 2u
#define SESSION_REPORT_CLONE 4u
#define SESSION_REPORT_EXEC 8u
#define SESSION_REPORT_EXIT 16u /* thread exits  */
void session_report_events (Session *session, guint mask);

/* ---- Movement ---- */

typedef enum
{
  SESSION_CONTINUE,
  SESSION_STEP,  /* one instruction of `thread'  */
  SESSION_RANGE  /* step `thread' while its pc is in [start, end)  */
} SessionHow;

typedef struct
{
  SessionHow how;
  gboolean backward;
  ThreadNo thread;       /* STEP, RANGE, only_thread  */
  gboolean only_thread;  /* no other than `thread' runs (scheduler-locking); in the past history decides  */
  Addr start, end;
  int signo;             /* deliver to `thread' on resuming (forward at the frontier), 0 none; in the past the
                            log decides  */
} SessionRequest;

typedef enum
{
  STOP_STEP,       /* the step or range is done  */
  STOP_BREAK,
  STOP_WATCH,      /* addr: the watched address  */
  STOP_SIGNAL,     /* signo is about to be delivered to thread  */
  STOP_BEGIN,      /* no more history backward  */
  STOP_END,        /* end of a recording forward  */
  STOP_EXITED,     /* status  */
  STOP_KILLED,     /* signo  */
  STOP_SYSCALL_ENTRY, /* nr  */
  STOP_SYSCALL_RETURN,
  STOP_FORK,       /* pid  */
  STOP_VFORK,
  STOP_CLONE,      /* new thread  */
  STOP_EXEC,       /* session_exec_file  */
  STOP_THREAD_EXIT,
  STOP_INTERRUPT,  /* asked by the user  */
  STOP_ERROR       /* a condition or the replay failed: error set, here unchanged  */
} StopKind;

typedef struct
{
  StopKind kind;
  ThreadNo thread;
  int signo;
  int status;
  Addr addr;
  SessionTrapKind watch;
  gint64 nr;
  pid_t pid;
  ThreadNo new_thread;
} Stop;

/* After STOP_EXITED or STOP_KILLED of the live program the last moment
   stays: here is before it, and one can go back.  */
gboolean session_resume (Session *session, const SessionRequest *request, Stop *stop_ret, GError **error);

/* Signal safe.  */
void session_interrupt (void);
/* While moving, this descriptor is polled; a byte 0x03 read from it (or
   end of file) interrupts.  FUNC is called to look at what is there and
   says whether to stop.  */
void session_set_interrupt (Session *session, int fd, gboolean (*func) (gpointer user), gpointer user);

/* Go to POSITION (exact) or as near as it gets: EVENT beyond the end goes
   to the frontier.  */
gboolean session_seek (Session *session, const Position *position, GError **error);
gboolean session_seek_event (Session *session, EventNo event, GError **error);
void session_begin (Session *session, Position *position_ret);
/* The pc is 0 if it is not known.  */
void session_end (Session *session, Position *position_ret);
/* Microseconds of execution at a position (of its event).  */
guint64 session_time (Session *session, EventNo event);

/* Lines, of which the client knows, for the thread of the last stop.  Both
   are exact, and leave here unchanged if they fail.

   Back to the beginning of the statement [START, END) that we are in: to
   START, or behind the last jump back inside it (a loop in one line), over
   the functions that it calls.  */
gboolean session_rewind (Session *session, Addr start, Addr end, GError **error);
/* Out of a function: back to the call of it, an instruction behind START
   that returns to RETURN_ADDR; STACK is $rsp before the call.  */
gboolean session_rewind_call (Session *session, Addr start, Addr return_addr, Addr stack, GError **error);

/* ---- Checkpoints ---- */

typedef struct
{
  int number; /* 1, 2, ...  */
  char *name; /* or NULL  */
  Position position;
  ThreadNo thread;
} Checkpoint;

/* A checkpoint here (also keeps a snapshot).  */
const Checkpoint *session_checkpoint (Session *session, const char *name, GError **error);
/* By number as text, or by name; NULL with an error.  */
const Checkpoint *session_find_checkpoint (Session *session, const char *text, GError **error);
gboolean session_delete_checkpoint (Session *session, const char *text, GError **error);
/* All, a GPtrArray of Checkpoint, owned.  */
const GPtrArray *session_checkpoints (Session *session);

/* Write the history from FROM (NULL: the beginning) to the frontier as a
   recording of its own into DIR, which must not exist or be empty.  */
gboolean session_save (Session *session, const char *dir, const Position *from, GError **error);

/* ---- Diversions ---- */

/* A throw-away copy of here becomes here until session_end_diversion,
   which brings back the former place; nested ones are an error.  Running
   in a diversion (session_resume forward) has no kernel: memory calls are
   performed, output to descriptors 1 and 2 is written, harmless questions
   are answered; exit_group stops it with STOP_EXITED, a fatal fault with
   STOP_SIGNAL, any other call with STOP_ERROR.  A diversion that session_write
   or session_set_regs made by itself ends with the next movement instead.  */
gboolean session_divert (Session *session, GError **error);
gboolean session_end_diversion (Session *session, GError **error);

/* ---- Snapshots ---- */

/* 0: a quarter of RAM.  */
void session_set_snapshot_memory (Session *session, guint64 bytes);
void session_set_snapshot_interval (Session *session, guint64 usec);
/* Number of snapshots and their memory, shared pages counted once.  */
void session_snapshot_stats (Session *session, guint *count_ret, guint64 *bytes_ret);
/* Events at which snapshots are, ascending, in a GArray of Position.  */
GArray *session_snapshot_positions (Session *session);
/* Drop all but the first (tests, low memory).  */
void session_drop_snapshots (Session *session);
/* Digest of registers and memory here.  */
gboolean session_digest (Session *session, guint64 *digest_ret, GError **error);

/* ---- Search ---- */

/* Probe for session_search: evaluate at the session's present place, which
   the search moves.  TRUE in *BAD_RET where the property has flipped (as it
   is at the start of the search); FALSE where good or not evaluable.
   Returning FALSE with an error ends the search.  */
typedef gboolean (*SessionProbe) (Session *session, gboolean *bad_ret, gpointer user, GError **error);

typedef struct
{
  guint probes;
  guint snapshot_probes, event_probes, tick_probes, step_probes;
  double seconds;
  EventNo event;          /* where the flip is  */
  ThreadNo thread;
  gboolean by_event;      /* the flip is an event's doing (a call wrote memory): see nr  */
  gint64 nr;
  Addr pc;                /* of the flipping instruction  */
} SearchResult;

typedef void (*SearchProgress) (const SearchResult *so_far, EventNo low, EventNo high, gpointer user);

/* Binary search in [FROM (NULL: the beginning), here] for a place where the
   probe is good, and bad after one more instruction (or event); stops the
   session there, before it.  Bad at FROM already: RETRO_ERROR_USAGE and
   here unchanged, as after any failure.  Probes: logarithmic.  */
gboolean session_search (Session *session, const Position *from, SessionProbe probe, gpointer user,
                         SearchProgress progress, gpointer progress_user, SearchResult *result_ret, GError **error);

/* Probe for session_search_last: the same, and it appends to WORDS (of Addr)
   the aligned words of memory that the answer was computed from; nothing
   else (no register) may have a part in it.  */
typedef gboolean (*SessionDependingProbe) (Session *session, gboolean *bad_ret, GArray *words, gpointer user,
                                           GError **error);

/* The last place in [FROM, here] where the probe is good, and bad after one
   more instruction or event; stops there, before it, as session_search
   does.  A linear scan backwards, part by part, evaluating at each write to
   the words; more than four words: RETRO_ERROR_LIMIT.  */
gboolean session_search_last (Session *session, const Position *from, SessionDependingProbe probe, gpointer user,
                              SearchProgress progress, gpointer progress_user, SearchResult *result_ret,
                              GError **error);

#endif
