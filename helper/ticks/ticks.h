/* Ticks: run one stretch of a replay task and stop exactly where asked.

   A tick is one executed control-transfer instruction (jmp, jcc, call,
   ret, loop, jrcxz ..., direct or indirect), taken or not; not syscall,
   int or rep-prefixed string instructions.  The count is a property of
   the program: the same whether counted by translation or by single
   steps.

   The task (see trace/task.h) is stopped at an instruction boundary of
   the program with the program's registers; it has an arena
   (base/types.h), and nothing else runs in it.  ticks_run executes user
   code until one of the request's conditions holds and leaves the task
   stopped with the program's own registers and memory: nothing of the
   code cache is visible.  System calls are not executed: the run stops
   before them.

   Code is translated into a cache in shared memory at ARENA_CACHE, which
   all copies of one replay share (fork keeps the mapping): a Ticks is the
   cache with its tables and belongs to all copies of one root.  */

#ifndef RETRO_TICKS_TICKS_H
#define RETRO_TICKS_TICKS_H

#include "log/event.h"
#include "trace/task.h"

/* The code cache with its tables.  (A count of ticks is a TickCount.)  */
typedef struct _Ticks Ticks;

/* A new, empty cache.  */
Ticks *ticks_new (GError **error);
void ticks_free (Ticks *ticks);
/* The memory file to map, shared and executable, at ARENA_CACHE in every
   task that will run with TICKS (inherited by its forks).  */
int ticks_cache_fd (const Ticks *ticks);
/* Forget all translations (after an exec, or a change of breakpoints by
   hand).  */
void ticks_flush (Ticks *ticks);
/* The program unmapped or replaced [START, END): forget what was
   translated from there.  */
void ticks_forget (Ticks *ticks, Addr start, Addr end);

typedef enum
{
  TICKS_STOP_TICKS,   /* max_ticks executed; at the target of the last branch  */
  TICKS_STOP_BREAK,   /* about to execute breaks[hit].pc  */
  TICKS_STOP_POINT,   /* the requested point is here  */
  TICKS_STOP_WATCH,   /* a debug register of the request triggered: the pc is behind the access  */
  TICKS_STOP_SYSCALL, /* about to execute a syscall (or int 0x80) instruction  */
  TICKS_STOP_TSC,     /* about to execute rdtsc, rdtscp  */
  TICKS_STOP_FAULT,   /* the instruction at the pc raised siginfo  */
  TICKS_STOP_INTERRUPT /* ticks_interrupt was called, or max_usec is over; the arrival here is not counted yet  */
} TicksStop;

typedef struct
{
  Addr pc;
  guint64 skip; /* pass it that many times first; counts down in place, so that afterwards old - new = arrivals  */
  /* NULL, or decides in the helper about a stop at this pc (registers are the program's; memory can be read).  */
  gboolean (*condition) (const Task *task, const Regs *regs, gpointer user);
  gpointer user;
} TicksBreak;

typedef struct
{
  Addr addr;
  int length; /* 1, 2, 4, 8, aligned  */
  int type;   /* 1 write, 3 access: as task_set_debug  */
} TicksWatch;

typedef struct
{
  TickCount max_ticks;      /* G_MAXUINT64: no limit  */
  gboolean uncounted;       /* no limit, and result.ticks means nothing: faster  */
  guint64 max_usec;         /* 0: no limit  */
  TicksBreak *breaks;       /* checked at every instruction but the first unless break_first  */
  gsize n_breaks;
  gboolean break_first;     /* the instruction where the run starts counts as an arrival  */
  const PointId *point;     /* NULL, or stop where this agrees (the first place included)  */
  const Space *space;       /* of the task: for point_memory_hash  */
  TicksWatch watches[4];
  gsize n_watches;
} TicksRequest;

typedef struct
{
  TicksStop stop;
  TickCount ticks;    /* executed by this run  */
  gsize hit;          /* BREAK: index; WATCH: index  */
  siginfo_t siginfo;  /* FAULT  */
} TicksResult;

gboolean ticks_run (Ticks *ticks, Task *task, const TicksRequest *request, TicksResult *result_ret, GError **error);

/* The same contract by single steps: the oracle, and for short distances.  */
gboolean ticks_step_run (Task *task, const TicksRequest *request, TicksResult *result_ret, GError **error);

/* Make a running ticks_run stop soon.  Signal safe.  */
void ticks_interrupt (void);

#endif
