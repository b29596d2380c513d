/* System calls: one row each, saying what the kernel writes to memory,
   whether the call can block, and what it does to the address space.

   Calling sequence, by the recorder, for a call that a thread makes:

     row = sys_row (nr)
     sys_enter (call, &verdict)    at the entry stop: may change registers
                                   (arguments, or the call into another) or
                                   deny it
     ... the kernel runs it ...
     sys_leave (call, event)       at the exit stop: adds the memory that the
                                   kernel wrote and the map ops to EVENT

   Replay needs none of this: see log/event.h.

   Calls that make, replace or end threads and processes, and rt_sigreturn,
   are flagged SYS_RECORDER: the recorder does them itself and neither
   function is called.  */

#ifndef RETRO_SYS_SYS_H
#define RETRO_SYS_SYS_H

#include "log/log.h"
#include "space/space.h"

#define SYS_BLOCKS (1u << 0)   /* may sleep until another thread or process acts  */
#define SYS_RECORDER (1u << 1) /* clone, fork, vfork, clone3, execve, execveat, exit, exit_group, rt_sigreturn,
                                  set_tid_address, sched_setaffinity, sched_getaffinity  */
#define SYS_DENY (1u << 2)     /* answered with `deny' as an old kernel would  */
#define SYS_STOP (1u << 3)     /* cannot be recorded: end the recording, naming it  */
#define SYS_YIELD (1u << 4)    /* gives the CPU away: a good place to switch threads  */

typedef struct _SysCall SysCall;

/* An output: what the kernel writes behind one argument.  */
typedef enum
{
  OUT_NONE,
  OUT_FIXED,    /* `size' bytes  */
  OUT_RESULT,   /* `result' bytes (times size if size != 0); with OUT_AT_MOST_N no more than argument `n' says  */
  OUT_ARG,      /* as many bytes as argument `n' says (times size if size != 0)  */
  OUT_POINTED,  /* as many bytes as the 32-bit word behind argument `n' said on entry and says now: the lesser  */
  OUT_FUNC      /* see SysRow.leave  */
} SysOutKind;

typedef struct
{
  guint8 arg;   /* 0-5  */
  guint8 kind;  /* SysOutKind  */
  guint8 n;
  guint8 flags; /* OUT_EVEN_ON_ERROR  */
  guint32 size;
} SysOut;
#define OUT_EVEN_ON_ERROR 1
#define OUT_AT_MOST_N 2

typedef struct
{
  const char *name;
  guint32 flags;
  int deny;               /* positive errno  */
  const char *arg_format; /* for people, a letter an argument: d int, l long, u unsigned, x hex, o octal, p pointer,
                             s string, f descriptor, g signal; NULL: all hex  */
  SysOut outs[5];
  /* Optional, in addition to the above.  */
  gboolean (*enter) (SysCall *call, GError **error);
  gboolean (*leave) (SysCall *call, Event *event, GError **error);
  void (*sleep) (SysCall *call, Event *event);
} SysRow;

/* What the tables remember about the process: which descriptors and
   mappings need watching.  One for each recorded process.  */
typedef struct _SysState SysState;
SysState *sys_state_new (void);
void sys_state_free (SysState *state);
/* Has the program asked for traps of rdtsc, or of cpuid, itself?  */
gboolean sys_wants_trap (const SysState *state, gboolean cpuid);

struct _SysCall
{
  const SysRow *row;
  const Task *task;       /* the thread, stopped  */
  pid_t pid;              /* its process  */
  gint64 nr;              /* as the program made it  */
  guint64 args[6];        /* as the program made it  */
  gint64 result;          /* in sys_leave: as the program sees it  */
  const Space *space;     /* before the call  */
  Log *log;               /* stored files  */
  SysState *state;
  /* Set by enter: */
  gboolean changed;       /* the kernel is to see call_nr and call_args instead  */
  gint64 call_nr;
  guint64 call_args[6];
  gboolean answered;      /* do not run it: the program sees `answer'  */
  gint64 answer;
  gboolean blocks;        /* preset from the row; enter may say better (futex wake)  */
  guint64 saved[4];       /* free for enter to leave something for leave  */
  gpointer saved_data;    /* g_free'd by sys_call_clear  */
  guint32 pointed;        /* for OUT_POINTED: the word on entry  */
};

void sys_call_clear (SysCall *call);

/* The row of call NR.  Unknown numbers have one that answers ENOSYS, as the
   kernel does.  */
const SysRow *sys_row (gint64 nr);
/* "openat", or "syscall 999".  Static or interned.  */
const char *sys_name (gint64 nr);
/* "futex (0x7ffff7..., 128, ...)" for dump and messages.  */
char *sys_describe (gint64 nr, const guint64 args[6]);
/* "ENOENT" for 2; "ERESTARTSYS" and kin too; NULL if there is none.  */
const char *sys_errno_name (int number);
/* "= 3", "= -ENOENT", "= 0x7ffff7fc1000" (calls that return an address).  */
char *sys_describe_result (gint64 nr, gint64 result);

gboolean sys_enter (SysCall *call, GError **error);
/* The call sleeps in the kernel and another thread will run: add to its
   ENTER event what the kernel has written already (FUTEX_WAITERS into the
   word of a priority-inheriting lock; the owner will look at it).  */
void sys_sleep (SysCall *call, Event *event);
gboolean sys_leave (SysCall *call, Event *event, GError **error);

/* Add the memory [ADDR, +LENGTH) of the task as it is now to EVENT.
   Unreadable memory is an error, length 0 is fine.  For handlers.  */
gboolean sys_add_memory (SysCall *call, Event *event, Addr addr, guint64 length, GError **error);

/* After calls that may have waited for another process (SYS_LOOK_OFTEN; for a
   child: SYS_LOOK_CHILD): add to EVENT the shared memory that has changed
   since the last look.  Only while no thread of the program is on its way
   between two events: what it has stored there would be taken for history
   before its stretch.  */
typedef enum
{
  SYS_LOOK_NOT,
  SYS_LOOK_OFTEN,
  SYS_LOOK_CHILD
} SysLook;
SysLook sys_wants_look (const SysCall *call);
void sys_look_at_shared (SysState *state, const Space *space, const Task *task, SysLook look, Event *event);

/* The program's image at START or after an exec: add one MAP op for each
   mapping of the process (file mappings stored through LOG) to EVENT, and
   MEMORY contents that differ from zero or from the file as writes.
   Large contents go to further EV_MEMORY events, appended to MORE (a
   GPtrArray of Event), each at most 1 MB.  The main stack becomes one
   mapping of its full extent (RLIMIT_STACK, at most 1 GB).  vvar is left
   out; vdso is an anonymous mapping with contents.  */
gboolean sys_image (const Task *task, pid_t pid, Log *log, Event *event, GPtrArray *more, GError **error);

#endif
