/* Types and addresses that every part of the helper shares.

   The numbers a record/replay debugger juggles are easily confused, so
   each has its own name here: an address in the program, the number of
   an event in the log, a count of branches, the number of a thread.
   Nothing in this file knows about ptrace, the log's format or GDB.

   Arena: every replay task (never the live program) has a reserved range
   at ARENA_BASE, which neither the kernel nor any sane program maps.  Its
   first page holds a system-call instruction for injected calls; the rest
   is handed out below.

     ARENA_BASE            stub page   r-x  (shared by all copies)
     +4 KB   ARENA_SCRATCH scratch     rw-  64 KB, private
     +128 KB ARENA_STATE   ticks state rw-  64 KB, private to each copy
     +1 MB   ARENA_CACHE   code cache  r-x  256 MB, shared by all copies  */

#ifndef RETRO_BASE_TYPES_H
#define RETRO_BASE_TYPES_H

#include <glib.h>
#include <sys/types.h>
#include <sys/user.h>

/* An address in the recorded program.  */
typedef guint64 Addr;

/* Number of an event: event 0 is the first of the log.  As a point in
   time, N means "N events have been applied".  */
typedef guint64 EventNo;

/* Branch instructions executed, taken or not.  */
typedef guint64 TickCount;

/* Number of a thread in order of creation; 0 is the first.  Numbers are
   not reused, not even after an exec.  */
typedef guint32 ThreadNo;

#define NO_THREAD ((ThreadNo) -1)

/* General registers as ptrace has them.  */
typedef struct user_regs_struct Regs;

#define PAGE_SIZE_ 4096ul
#define PAGE_DOWN(a) ((a) & ~(PAGE_SIZE_ - 1))
#define PAGE_UP(a) PAGE_DOWN ((a) + PAGE_SIZE_ - 1)

#define ARENA_BASE 0x6ff000000000ul
#define ARENA_SIZE 0x20000000ul /* 512 MB */
#define ARENA_STUB ARENA_BASE
#define ARENA_SCRATCH (ARENA_BASE + 0x1000)
#define ARENA_SCRATCH_SIZE 0x10000ul
#define ARENA_STATE (ARENA_BASE + 0x20000)
#define ARENA_STATE_SIZE 0x10000ul
#define ARENA_CACHE (ARENA_BASE + 0x100000)
#define ARENA_CACHE_SIZE 0x10000000ul

/* End of user space on x86-64 with four-level page tables.  */
#define USER_END 0x7ffffffff000ul

/* A range of program memory with contents.  */
typedef struct
{
  Addr addr;
  GBytes *data;
} MemWrite;

#endif
