/* Events: everything nondeterministic that happened to the program.

   Only one thread of the program runs user code at a time.  What it does
   between two events (a stretch) is a function of registers and memory;
   so the log holds events only, and the thread of an event is the thread
   that ran the stretch before it.  To replay event E of thread T: run T
   from where it is until it arrives at what E.kind says, check it against
   E, then apply E: map ops first, writes second, registers last.

     kind          T arrives at                     then
     IMAGE         (nothing runs)                   all memory, threads: a start or an exec
     MEMORY        (nothing runs)                   writes only: rest of an image, memory
                                                    written from outside
     SYSCALL       the call `nr' with `args'        result; the call is complete
     ENTER         the call `nr' with `args'        it blocks in the kernel; others run
     EXIT          (nothing runs: T is in a call)   the result of the call entered before
     SIGNAL        nothing runs if !sync; else the  handler frame written, registers set;
                   fault at regs.rip                see signo, siginfo
     TSC           an rdtsc/rdtscp instruction      rax, rdx (rcx) from regs; pc behind it
     POINT         a point inside the stretch,      nothing: a preemption, a stop of the
                   see PointId                      user's, or the place of a signal
     THREAD_EXIT   (nothing runs: T called exit)    T is gone; writes (tid word, robust list)
     POKE          (nothing runs)                   the debugger wrote memory or registers
     END           (nothing runs)                   the process is gone: status as waitpid's

   A SYSCALL, ENTER or TSC event carries the full check of the registers
   on arrival as `check' (regs_check over Regs at arrival).

   After SYSCALL and EXIT of a returning call the registers are: rax =
   result, rcx = rip, r11 = eflags as at arrival, unless has_regs (exec,
   rt_sigreturn, arch_prctl) which gives them all.  For `exit' nr 60 there
   is SYSCALL (no return) then THREAD_EXIT; exit_group: SYSCALL then END.
   A restarted call (-ERESTART...) is logged as the kernel finally shows
   it to user mode: if the kernel moved pc back to repeat the call, with
   has_regs set.

   A new thread: the SYSCALL event of clone has new_thread set; the new
   thread's registers are the parent's after the call with rax = 0, rsp =
   new_sp if that is not 0 and fs_base = new_fs if new_has_fs; its xstate
   is the parent's.  */

#ifndef RETRO_LOG_EVENT_H
#define RETRO_LOG_EVENT_H

#include "base/types.h"
#include "space/space.h"

#include <signal.h>

typedef enum
{
  EV_IMAGE = 1,
  EV_MEMORY,
  EV_SYSCALL,
  EV_ENTER,
  EV_EXIT,
  EV_SIGNAL,
  EV_TSC,
  EV_POINT,
  EV_THREAD_EXIT,
  EV_POKE,
  EV_END,
  EV_KINDS /* number of kinds + 1  */
} EventKind;

/* Why a point is in the log.  */
typedef enum
{
  POINT_PREEMPT, /* another thread runs next  */
  POINT_SIGNAL,  /* a signal is delivered here next  */
  POINT_STOP     /* the user's stop while live  */
} PointWhy;

#define POINT_WORDS 16

/* A word at POINT_XSTATE + N is the one at offset N of the extended state
   (a standard XSAVE image).  */
#define POINT_XSTATE ((Addr) 0xffff800000000000ull)

/* What identifies a point inside a stretch.  With arrivals != 0 it is the
   arrivals-th time that the pc is about to execute regs.rip since the
   last event applied to this thread's stretch began (the stretch's first
   instruction counts if it is rip), and the rest confirms it.  With
   arrivals == 0 it is the first moment at which everything agrees.  */
typedef struct
{
  PointWhy why;
  guint64 arrivals;
  Regs regs;           /* rflags without TF and RF; orig_rax ignored  */
  guint32 xstate_hash; /* xstate_hash () of the extended state  */
  guint32 n_words;     /* words that the code around uses  */
  struct
  {
    Addr addr;
    guint64 value;
  } words[POINT_WORDS];
  guint32 memory_hash; /* point_memory_hash (): stack top, globals, pointed-to memory  */
} PointId;

/* State of one thread in an image.  */
typedef struct
{
  ThreadNo thread;
  pid_t tid;        /* as the program knew it  */
  gboolean in_call; /* inside a call entered by ENTER, not yet left  */
  Regs regs;        /* in_call: as at the call's entry  */
  GBytes *xstate;
  char name[16];
} ThreadImage;

typedef struct
{
  EventKind kind;
  ThreadNo thread;
  guint64 time; /* microseconds since the recording began  */

  guint32 check;      /* SYSCALL, ENTER, TSC, SIGNAL if sync: regs_check at arrival  */
  gint64 nr;          /* SYSCALL, ENTER (EXIT repeats it)  */
  guint64 args[6];    /* SYSCALL, ENTER  */
  gint64 result;      /* SYSCALL, EXIT; END: the wait status  */
  gboolean no_return; /* SYSCALL that does not come back (exit, exit_group)  */

  GArray *ops;    /* of MapOp or NULL: SYSCALL, EXIT, IMAGE, POKE  */
  GArray *writes; /* of MemWrite or NULL  */

  gboolean has_regs; /* regs is valid: all registers after the event  */
  Regs regs;
  GBytes *xstate; /* NULL, or the extended state after the event  */

  ThreadNo new_thread; /* NO_THREAD, or the thread that the call made  */
  pid_t new_tid;
  Addr new_sp;
  gboolean new_has_fs;
  guint64 new_fs;

  int signo;         /* SIGNAL  */
  gboolean sync;     /* SIGNAL raised by the instruction at the pc  */
  siginfo_t siginfo; /* SIGNAL  */

  PointId *point; /* POINT  */

  GArray *threads; /* IMAGE: of ThreadImage; all threads there are now  */

  gboolean has_digest; /* with --check: space_digest after the event  */
  guint64 digest;
} Event;

/* A zeroed event of KIND with new_thread = NO_THREAD.  */
Event *event_new (EventKind kind, ThreadNo thread);
void event_free (Event *event);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Event, event_free)

/* Append to ops / writes, creating the array if need be.  DATA is copied.  */
void event_add_op (Event *event, const MapOp *op);
void event_add_write (Event *event, Addr addr, gconstpointer data, gsize length);
/* The same without a copy: takes a reference to DATA.  */
void event_add_write_bytes (Event *event, Addr addr, GBytes *data);

/* Has the call of EVENT made a process?  That of clone3 counts as a fork,
   whatever it shares, since the event does not tell.  */
gboolean event_makes_process (const Event *event, gboolean *vfork_ret);

/* "syscall", "enter", ... */
const char *event_kind_name (EventKind kind);

/* 32-bit check of the registers that a program can observe: all general
   registers, rip, rsp, rflags without TF/RF, fs_base, gs_base; not
   orig_rax; and not rax, rcx, r11 when AT_SYSCALL.  */
guint32 regs_check (const Regs *regs, gboolean at_syscall);
/* Hash of an XSAVE image, canonical: components in their initial state
   hash alike whether the kernel stored them or not.  */
guint32 xstate_hash (GBytes *xstate);

#endif
