/* What the files of the recorder share.

     record.c   the main loop: who runs next, what a stop means
     wait.c     waiting for stops, time slices and the client's descriptor
     spawn.c    starting a program, the image of its memory
     call.c     system calls at entry and exit
     process.c  calls that make, replace and end threads and processes
     affinity.c which CPUs the program believes to have
     vfork.c    children that share our memory for a while
     signal.c   signals: faults, handlers, job control
     attach.c   a running process; letting one go
     vdso.c     the vdso of an attached process
     live.c     the debugger's breakpoints, watches and steps
     copy.c     a replay of the present moment
     wake.c     threads asleep in calls, while the debugger looks
     point.c    naming a place inside a stretch

   A thread is resumed in one place (thread_resume) and its stops are
   handled in one place (recorder_dispatch).  Events are appended
   through recorder_log only, which keeps the space in step.  */

#ifndef RETRO_RECORD_INTERNAL_H
#define RETRO_RECORD_INTERNAL_H

#include "record/point.h"
#include "record/record.h"
#include "sys/sys.h"

#include <sched.h>

typedef enum
{
  THREAD_READY,   /* stopped; can run user code  */
  THREAD_RUNNING, /* runs user code  */
  THREAD_IN_CALL, /* in the kernel, resumed  */
  THREAD_EXITING, /* resumed after its exit stop, or its process is dying  */
  THREAD_GONE
} ThreadState;

typedef struct _Thread Thread;

struct _Thread
{
  ThreadNo no;
  Task task;
  ThreadState state;

  gboolean in_syscall;   /* between the entry and the exit stop  */
  gboolean entered;      /* its EV_ENTER is in the log  */
  gboolean shown_entry;  /* ... for the debugger, and the call has not begun  */
  gboolean interrupted;  /* the call was cut short: its exit is due before the signal  */
  gboolean call_changed; /* arguments were changed for the kernel  */
  SysCall call;
  Regs entry_regs;       /* at the entry of the call  */

  int signo;             /* != 0: stopped at the delivery of this signal  */
  siginfo_t siginfo;
  gboolean signal_shown; /* the debugger has seen it, or need not  */
  gboolean dropped;      /* ... and does not want it  */
  int sent;              /* the debugger has sent this one, which has not come yet; or 0  */

  gboolean from_handler; /* its last event is the return from a handler  */
  guint starved;         /* handlers that ran since, one right after the other  */
  guint64 mask;          /* its own signal mask, while graced  */
  guint64 graced;        /* until then (monotonic) no signal disturbs it; 0: as usual  */

  gboolean moved;        /* may have executed something since its last event  */
  Regs last_regs;        /* as the last event left them, when !fresh  */
  GHashTable *arrivals;  /* live.c: pc -> times since the last event, while counting is exact  */
  gboolean only_stepped; /* since the last event: arrivals has every pc  */
  guint32 round;         /* the last in which it ran  */
  gboolean stepping_over;/* a breakpoint, by one step  */
  Addr step_pc;          /* where the last step began  */
  gboolean in_rep;       /* ... and ended, between two iterations of a string instruction  */
  gboolean event_step;   /* the step under way may end in an event  */
  gboolean woken;        /* stopped: taken out of its call by us; its call is repeated  */
  GBytes *entry_xstate;  /* of a call that may sleep, in a session; else NULL  */
  Addr reported_pc;      /* a stop here has been reported, or 0  */
  gsize watched;         /* debug registers in use  */

  Addr clear_tid;        /* written with 0 at its exit, or 0  */
  GArray *exit_words;    /* of Addr: what the kernel may write at its exit  */
  GArray *vfork_writes;  /* of MemWrite: stores of a vfork child  */
  Task vfork_base;       /* the program before a vfork; tid 0: not needed  */
  Thread *new_thread;    /* made by the call under way  */
  gboolean exec_done;    /* the exec under way has succeeded  */
  cpu_set_t affinity;    /* as the program believes  */
  gboolean is_leader;
  gboolean group_stopped;
};

struct _Recorder
{
  Log *log;
  RecordOptions options;
  pid_t pid;
  GPtrArray *threads;    /* of Thread, by number; NULL never  */
  GHashTable *by_tid;    /* live threads only  */
  GHashTable *early;     /* tids that stopped before we knew them  */
  Thread *current;       /* the one that runs, or ran last  */
  Space *space;
  SysState *sys;
  GRand *rand;           /* NULL without seed  */
  guint64 ran_usec;      /* in all runs before this one  */
  guint64 slice_end;     /* monotonic, of the current thread  */
  guint32 round;         /* with a seed: each ready thread runs once a round  */
  guint64 check_usec;    /* spent on digests so far  */
  gboolean ended;
  gboolean ending;       /* exit_group, a fatal signal  */
  gboolean attached;
  gboolean has_vfork;    /* a child shares our memory  */
  SysLook look;          /* other processes may have written shared memory  */
  int status;
  cpu_set_t affinity;    /* of the program, if nobody pinned it  */
  ThreadNo next_thread;

  int signal_fd;         /* SIGCHLD  */
  int poll_fd;
  gboolean (*poll_func) (gpointer user);
  gpointer poll_user;
  gboolean want_stop;    /* an interruption is to be reported  */

  Thread *showing;       /* the debugger looks at its signal  */
  const LiveRequest *request;
  LiveStop *stop;        /* filled when stopped  */
  gboolean stopped;
  guint64 run_start;
  gpointer live;         /* live.c's own  */
  gboolean reinsert;     /* a breakpoint is out until the next stop, or has memory now  */
  GArray *patches;       /* vdso.c's own  */
  Replay *root;          /* whose code cache copies share  */
};

/* ---- record.c ---- */

/* A recorder without a process.  */
Recorder *recorder_new (Log *log, const RecordOptions *options, GError **error);

/* Append EVENT (taken), stamped and applied to the space.  */
gboolean recorder_log (Recorder *r, Event *event, GError **error);
/* A new event of T with T's registers checked in.  */
Event *recorder_event (Recorder *r, EventKind kind, const Thread *t);
guint64 now_usec (void);
Thread *recorder_add_thread (Recorder *r, pid_t tid, GError **error);
Thread *recorder_find_thread (const Recorder *r, pid_t tid);
void recorder_drop_thread (Recorder *r, Thread *t);
gboolean recorder_other_ready (const Recorder *r, const Thread *t);
/* Let T go on with PTRACE_ REQUEST and SIG.  */
gboolean thread_resume (Recorder *r, Thread *t, int request, int sig, GError **error);
/* T's registers are REGS right after an event of its.  */
void thread_at_event (Thread *t, const Regs *regs);
/* Stop reporting: fills r->stop and ends recorder_run.  */
void recorder_stop (Recorder *r, LiveStopKind kind, const Thread *t);
/* Handle the stop STATUS of task TID.  */
gboolean recorder_dispatch (Recorder *r, pid_t tid, int status, GError **error);
/* Log what other processes have written to shared memory, if it is time to
   look; nobody computes.  EVENT: into this one.  */
gboolean recorder_look (Recorder *r, const Thread *t, Event *event, GError **error);
/* Is a thread other than T on its way between two events?  */
gboolean recorder_other_moved (const Recorder *r, const Thread *t);
/* Log the digest if --check says it is time; T is any stopped thread.  */
gboolean recorder_check (Recorder *r, const Thread *t, GError **error);
/* Log a POINT where T is stopped unless it stands where its last event left it.  */
gboolean recorder_point (Recorder *r, Thread *t, PointWhy why, GError **error);

/* ---- wait.c ---- */

gboolean wait_init (Recorder *r, GError **error);
void wait_clear (Recorder *r);
/* Next stop of any task: its tid, or 0 when UNTIL (monotonic; 0 never) has
   come, or -1 when the user wants to stop.  TID > 0 waits for that task
   only.  */
gboolean wait_next (Recorder *r, pid_t tid, guint64 until, pid_t *tid_ret, int *status_ret, GError **error);
/* What has already stopped: 0 if nothing.  */
pid_t wait_poll (pid_t tid, int *status_ret);
/* Is a thread awake in a call, or stopped and not waited for?  If so, it got
   the CPU.  */
gboolean wait_while_busy (Recorder *r);
/* Has the thread, resumed into a call, gone to sleep there?  FALSE in
   *ASLEEP_RET means that it stopped (or died): its status is in
   *STATUS_RET.  */
gboolean wait_asleep (Recorder *r, Thread *t, gboolean *asleep_ret, int *status_ret, GError **error);

/* ---- spawn.c ---- */

/* After an exec: T is stopped at the exit of execve; hide the vdso, find a
   syscall instruction, log the image.  */
gboolean spawn_image (Recorder *r, Thread *t, GError **error);
/* Address of a syscall instruction in the process.  */
gboolean spawn_find_syscall (Recorder *r, Thread *t, GError **error);

/* ---- call.c ---- */

/* T stopped at the entry (exit) of a system call.  */
gboolean call_entered (Recorder *r, Thread *t, GError **error);
gboolean call_left (Recorder *r, Thread *t, GError **error);
/* Give the kernel the call that was decided on.  */
gboolean call_set (Thread *t, GError **error);
/* T has been resumed into its call: wait for it there, or leave it asleep.  */
gboolean call_await (Recorder *r, Thread *t, GError **error);
/* T, shown at the entry of its call, takes a signal: the call is to be made
   again after that.  */
gboolean call_leave_entry (Recorder *r, Thread *t, GError **error);
/* Take T, stopped at the entry of its call, out of it and in front of it again,
   with REGS.  FALSE in *LEFT_RET: something else has happened to it.  */
gboolean call_cancel (Recorder *r, Thread *t, Regs *regs_ret, gboolean *left_ret, GError **error);
/* Log ENTER for T, which sleeps in its call while others run.  */
gboolean call_log_enter (Recorder *r, Thread *t, GError **error);
/* Is RESULT one that user mode never sees: the call was cut short?  */
gboolean call_is_restart (gint64 result);
/* The call of T ends with RESULT as the program sees it: log it.  */
gboolean call_finish (Recorder *r, Thread *t, gint64 result, const Regs *after, GError **error);
/* A new SYSCALL or EXIT event for T's call.  */
Event *call_event (Recorder *r, Thread *t, gint64 result);

/* ---- process.c ---- */

gboolean process_call_entered (Recorder *r, Thread *t, GError **error);
gboolean process_call_left (Recorder *r, Thread *t, gboolean *done_ret, GError **error);
/* PTRACE_EVENT_ stops.  */
gboolean process_event (Recorder *r, Thread *t, int event, GError **error);
/* The kernel reported that TID is gone.  */
gboolean process_gone (Recorder *r, pid_t tid, int status, GError **error);
/* Free the child PID that MAKER has forked of everything of ours and let it
   run.  */
gboolean process_release_child (Recorder *r, const Thread *maker, pid_t pid, GError **error);

/* ---- affinity.c ---- */

/* At the entry of sched_setaffinity, and at the exit of sched_getaffinity.  */
void affinity_set (Recorder *r, Thread *t);
gboolean affinity_left_get (Recorder *r, Thread *t, const Regs *regs, GError **error);

/* ---- vfork.c ---- */

/* T is at the entry of a call that makes such a child: keep what will be needed
   to know its stores.  *AGAIN_RET: the call has been put off, its entry comes
   again.  */
gboolean vfork_prepare (Recorder *r, Thread *t, gboolean *again_ret, GError **error);
/* Run the vfork child PID of T until it has its own memory or is gone; its
   stores so far are copied into T's memory and added to WRITES (of
   MemWrite).  */
gboolean vfork_run_child (Recorder *r, Thread *t, pid_t pid, GArray *writes, GError **error);

/* ---- signal.c ---- */

/* A run begins: the signal that was shown, another, or none.  */
gboolean signal_choose (Recorder *r, GError **error);
/* T stopped for the delivery of SIGNO.  */
gboolean signal_stopped (Recorder *r, Thread *t, int signo, GError **error);
/* Deliver T's signal now (T is READY and current, or about to be).  */
gboolean signal_deliver (Recorder *r, Thread *t, GError **error);
/* T is about to run user code: let it get somewhere before the next signal, if
   it is all that it does.  And T has stopped: all is as usual.  */
gboolean signal_grace (Thread *t, GError **error);
gboolean signal_grace_over (Thread *t, GError **error);
/* Group stop.  */
gboolean signal_group_stop (Recorder *r, Thread *t, int signo, GError **error);
gboolean signal_is_fault (int signo, const siginfo_t *info);

/* ---- vdso.c ---- */

/* Make the functions of the vdso real system calls, and undo that.  */
gboolean vdso_patch (Recorder *r, const Task *task, GError **error);
void vdso_restore (Recorder *r, const Task *task);
/* Step T until it is not in the vdso.  */
gboolean vdso_step_out (Recorder *r, Thread *t, GError **error);

/* ---- loader.c ---- */

/* Make the dynamic loader's save of registers repeatable; for good, since it
   does the same as before.  */
gboolean loader_patch (Recorder *r, const Task *task, GError **error);

/* ---- copy.c ---- */

/* A raw copy of the program, made by HOST, which is stopped, but not at the
   entry of a call: *COPY_RET is a task without descriptors.  */
gboolean copy_process (Thread *host, Task *copy_ret, GError **error);

/* ---- wake.c ---- */

/* Bring T, asleep in a call, to a stop in which calls can be injected.  */
gboolean wake_thread (Recorder *r, Thread *t, GError **error);
/* The same for all that would take a terminal's input.  */
gboolean wake_readers (Recorder *r, GError **error);
/* Let the threads go on that were taken out of their calls.  */
gboolean wake_release (Recorder *r, GError **error);

/* ---- live.c ---- */

gboolean live_begin (Recorder *r, GError **error);
gboolean live_end (Recorder *r, GError **error);
void live_clear (Recorder *r);
/* How to resume T in user mode: PTRACE_SYSCALL or PTRACE_SINGLESTEP; may
   step T over a breakpoint first (*STATUS_RET then is that stop, else 0).  */
gboolean live_prepare (Recorder *r, Thread *t, int *request_ret, int *status_ret, GError **error);
/* T stopped with SIGTRAP: TRUE in *MINE_RET if that was ours.  */
gboolean live_trapped (Recorder *r, Thread *t, gboolean *mine_ret, GError **error);
/* EVENT is about to be logged: stop if it changes watched memory.  */
void live_note_event (Recorder *r, const Event *event);
/* Take breakpoints out of (put them back into) the memory of TASK.  */
gboolean live_clean (Recorder *r, const Task *task, GError **error);
gboolean live_dirty (Recorder *r, const Task *task, GError **error);
/* Arrivals at PC since T's last event, 0 if not known exactly.  */
guint64 live_arrivals (Recorder *r, const Thread *t, Addr pc);

#endif
