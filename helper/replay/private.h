/* What the files of helper/replay share; nobody else includes this.

     replay.c    threads, registers, positions: the book-keeping
     spawn.c     an empty process with nothing in it but the arena
     memory.c    map operations and writes, performed in the task
     apply.c     events: what each kind does to task and threads
     run.c       from one event to the next, natively, with all checks
     point.c     the same up to a place inside a stretch
     stretch.c   part of a stretch, counted
     alias.c     memory that is mapped at several addresses
     copy.c      copies of a task, and tasks that come from a recorder
     diverge.c   messages about a replay that does not do as it should

   Registers of a thread are in the table, but those of the thread `loaded'
   are in the task.  */

#ifndef RETRO_REPLAY_PRIVATE_H
#define RETRO_REPLAY_PRIVATE_H

#include "replay/replay.h"

/* What all copies of one process share.  */
typedef struct
{
  guint refs;
  Ticks *ticks;  /* NULL until it is used  */
  guint64 epoch; /* identifies the code that the translations were made from  */
} ReplayRoot;

struct _Replay
{
  Log *log;
  Task task;
  Space *space;
  EventNo event;
  GPtrArray *threads; /* of ReplayThread, by number  */
  ThreadNo loaded;
  gboolean inside;       /* something was executed since the last event  */
  gboolean entered;      /* the task is at a PTRACE_SYSEMU stop that it has not left  */
  int alias_fd;          /* the task's descriptor of aliased memory + 1; 0: none  */
  gboolean cache_mapped; /* the code cache of root is in the task  */
  ReplayRoot *root;
  /* Number of the last event that changed code in a way that the list of
     mappings does not show (see replay_ticks).  */
  guint64 code_event;
  /* Inside a stretch: how many times the pc was at the next event's point
     before now; and are we between two iterations of a rep instruction?  */
  guint64 arrivals;
  gboolean in_rep;
};

/* replay.c  */
ReplayRoot *replay_root_new (void);
ReplayRoot *replay_root_ref (ReplayRoot *root);
void replay_root_unref (ReplayRoot *root);
ReplayThread *replay_thread (Replay *replay, ThreadNo no, GError **error);
/* The entry for a new thread NO, made with all between.  */
ReplayThread *replay_add_thread (Replay *replay, ThreadNo no, GError **error);
void replay_clear_threads (Replay *replay);
/* Put the registers of thread NO into the task.  */
gboolean replay_load (Replay *replay, ThreadNo no, GError **error);
/* Leave a PTRACE_SYSEMU stop, executing nothing.  */
gboolean replay_settle (Replay *replay, GError **error);

/* spawn.c  */
/* A traced child of the helper with an arena and nothing else; CPUID: cpuid
   traps.  */
gboolean replay_spawn (Task *task, gboolean cpuid, GError **error);
/* Map the arena in TASK, which has a syscall instruction of its own.  */
gboolean replay_map_arena (Task *task, GError **error);
/* Map the code cache of the root, once.  */
gboolean replay_map_cache (Replay *replay, GError **error);

/* memory.c  */
/* Injected call that must succeed; WHAT is for the message.  */
gboolean replay_inject (Task *task, const char *what, long nr, const guint64 args[6], guint64 *result_ret,
                        GError **error);
/* Injected openat of PATH.  */
gboolean replay_inject_open (Task *task, const char *path, int *fd_ret, GError **error);
gboolean replay_apply_op (Replay *replay, const MapOp *op, GError **error);
gboolean replay_write (Replay *replay, Addr addr, gconstpointer data, gsize length, GError **error);

/* alias.c  */
gboolean replay_map_alias (Replay *replay, const MapOp *op, GError **error);
/* Write to M, a view that the task itself may not write to.  */
gboolean replay_write_alias (Replay *replay, const Mapping *m, Addr addr, gconstpointer data, gsize length,
                             GError **error);
/* After a fork: give the copy aliased memory of its own.  */
gboolean replay_own_aliases (Replay *copy, GError **error);

/* apply.c  */
/* Fill the table from an array of ThreadImage.  */
gboolean replay_set_threads (Replay *replay, const GArray *images, GError **error);

/* ARRIVAL: the registers on arrival, as at a system-call-entry stop.  */
gboolean replay_apply (Replay *replay, const Event *event, const Regs *arrival, GError **error);

/* run.c  */
extern volatile int replay_interrupted;
typedef enum
{
  RUN_CALL,   /* at a system call, not performed  */
  RUN_TRAPPED, /* at an instruction of trace/trapped.h  */
  RUN_SIGNAL, /* signo raised by the instruction  */
  RUN_BREAK   /* a debug register  */
} RunStop;
/* Run the loaded thread natively to the next stop.  */
gboolean replay_run_native (Replay *replay, RunStop *stop_ret, int *signo_ret, Regs *regs_ret, GError **error);

/* point.c  */
gboolean replay_run_to_point (Replay *replay, const PointId *point, GError **error);

/* diverge.c  */
/* All return FALSE.  */
gboolean replay_diverged (Replay *replay, const Event *event, GError **error, const char *format, ...)
  G_GNUC_PRINTF (4, 5);
/* Does the call in REGS (as at the entry stop) agree with EVENT?  */
gboolean replay_check_call (Replay *replay, const Event *event, const Regs *regs, GError **error);
/* The same for a trapped or faulting instruction.  */
gboolean replay_check_regs (Replay *replay, const Event *event, const Regs *regs, GError **error);
/* "the call write (1, 0x..., 5)" ...  */
char *replay_describe_stop (RunStop stop, int signo, const Regs *regs);
char *replay_describe_event (const Event *event);

#endif
