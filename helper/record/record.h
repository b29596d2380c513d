/* The recorder: runs the live program one thread at a time and writes the
   log.

   `retro record' makes a Recorder, starts the program and calls
   recorder_run once.  A session calls recorder_run again and again: it
   returns at each stop the session asked for, with every thread of the
   program stopped (or asleep in the kernel), the stop written to the log
   as EV_POINT, and no breakpoint in the program's memory; then
   recorder_copy makes a Replay of that very moment.

   The program's threads, in the recorder's eyes:

     RUNNING   runs user code; at most one, the current
     IN_CALL   let into the kernel, its return is awaited
     READY     stopped, can run user code
     GONE                                                              */

#ifndef RETRO_RECORD_RECORD_H
#define RETRO_RECORD_RECORD_H

#include "log/log.h"
#include "replay/replay.h"

typedef struct _Recorder Recorder;

typedef struct
{
  guint32 seed;        /* of the scheduler: 0 none: run until blocked or the slice ends, next in order  */
  guint64 slice_usec;  /* time slice while another thread is ready  */
  gboolean check;      /* memory digests at events  */
} RecordOptions;

/* Call first of all: the program gets the signal dispositions and the mask
   that we have now.  */
void recorder_note_signals (void);

/* Start ARGV (searched in PATH like execvp), stopped before its first
   instruction; its image is the first event of LOG, which must stay open
   as long as the recorder.  ENV, CWD: NULL for ours.  RETRO_ERROR_USAGE
   with errno-like *EXEC_ERRNO_RET (may be NULL) when it cannot be
   executed.  */
Recorder *recorder_start (Log *log, char **argv, char **env, const char *cwd, const RecordOptions *options,
                          int *exec_errno_ret, GError **error);
/* Attach to the running process PID with all its threads.  */
Recorder *recorder_attach (Log *log, pid_t pid, const RecordOptions *options, GError **error);
/* Kills the program if it still lives.  */
void recorder_free (Recorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Recorder, recorder_free)
/* Let the program go on untraced.  */
gboolean recorder_detach (Recorder *recorder, GError **error);

/* ---- Stops ---- */

typedef enum
{
  LIVE_STEP,
  LIVE_BREAK,
  LIVE_WATCH,
  LIVE_SIGNAL,    /* signo was about to be delivered; it is unless `signo' of the next run says otherwise  */
  LIVE_END,       /* exited or killed: EV_END is the last event of the log  */
  LIVE_INTERRUPT, /* recorder_interrupt  */
  LIVE_SYSCALL_ENTRY,
  LIVE_SYSCALL_RETURN,
  LIVE_FORK,
  LIVE_VFORK,
  LIVE_CLONE,
  LIVE_EXEC,
  LIVE_THREAD_EXIT,
  LIVE_EVENTS     /* max_usec over: stopped at the next event (for a snapshot)  */
} LiveStopKind;

typedef struct
{
  LiveStopKind kind;
  ThreadNo thread;
  int signo;
  siginfo_t siginfo;
  int status;      /* END: as waitpid's  */
  Addr addr;       /* BREAK: pc, WATCH: the watched address, 0 if the CPU did not tell  */
  gint64 nr;
  pid_t pid;
  ThreadNo new_thread;
} LiveStop;

typedef struct
{
  Addr addr;
  gboolean (*condition) (const Task *task, ThreadNo thread, const Regs *regs, gpointer user); /* or NULL  */
  gpointer user;
} LiveBreak;

typedef struct
{
  Addr addr;
  int length, type; /* as task_set_debug  */
} LiveWatch;

typedef struct
{
  ThreadNo step;          /* NO_THREAD: continue; else step this thread ...  */
  Addr range_start, range_end; /* ... once, or while in the range if not empty  */
  gboolean locked;        /* no other thread than signal_thread runs  */
  int signo;              /* after LIVE_SIGNAL: what to deliver instead (0: nothing); -1: the signal itself.
                             Else a signal to send, if positive ...  */
  ThreadNo signal_thread; /* ... to this thread; when stepping, the same  */
  const LiveBreak *breaks;
  gsize n_breaks;
  LiveWatch watches[4];
  gsize n_watches;
  guint64 pass_signals;   /* bit N: signal N does not stop  */
  gboolean stop_signals;  /* FALSE: no signal stops (retro record)  */
  gboolean catch_all_calls;
  GArray *catch_calls;    /* of gint64 or NULL  */
  guint report;           /* SESSION_REPORT_... bits  */
  gboolean undisturbed;   /* neither recorder_interrupt nor a poll descriptor will end the run  */
  guint64 max_usec;       /* 0, or return LIVE_EVENTS at an event after that much time  */
} LiveRequest;

gboolean recorder_run (Recorder *recorder, const LiveRequest *request, LiveStop *stop_ret, GError **error);
/* End the run under way, or the next one.  Signal safe.  */
void recorder_interrupt (void);
/* What was wanted before does not count.  Was there something?  */
gboolean recorder_forget_interrupt (void);
/* While running, FD is polled too; FUNC says whether to stop.  -1: none.  */
void recorder_set_poll (Recorder *recorder, int fd, gboolean (*func) (gpointer user), gpointer user);

/* A Replay of this moment, at the end of the log (valid while stopped, not
   after the end).  The copy is independent of the live program.  */
Replay *recorder_copy (Recorder *recorder, GError **error);
/* Copies share the code cache of ROOT, a replay of this program.  */
void recorder_set_root (Recorder *recorder, Replay *root);
/* The debugger changes the live program: an EV_POKE.  */
gboolean recorder_poke (Recorder *recorder, Addr addr, gconstpointer data, gsize length, GError **error);
gboolean recorder_poke_regs (Recorder *recorder, ThreadNo thread, const Regs *regs, GBytes *xstate, GError **error);

pid_t recorder_pid (const Recorder *recorder);
gboolean recorder_has_ended (const Recorder *recorder);

#endif
