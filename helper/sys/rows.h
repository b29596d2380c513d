/* What the files of the call table share: how a row is written, and the
   helpers for handlers.

   Each subject (file.c, net.c, memory.c ...) has its rows beside their
   handlers, in an array that ends with ROWS_END; call.c joins them.

   A rule that makes rows simple: what is added to an event is the memory
   *as it is now*, at the exit stop, when no thread of the program runs.  So
   taking in more than the kernel wrote costs bytes but is never wrong, and
   rows err on that side where the exact size would need a second look at
   the kernel's data.

   The numbers of calls newer than Debian 12's headers are below.  */

#ifndef RETRO_SYS_ROWS_H
#define RETRO_SYS_ROWS_H

#include "base/error.h"
#include "sys/sys.h"

#include <errno.h>
#include <sys/syscall.h>

typedef struct
{
  int nr; /* -1 ends an array  */
  SysRow row;
} SysNumbered;

/* One row: name, format of the arguments, then designated initialisers.  */
#define R(name_, format_, ...) { SYS_##name_, { .name = #name_, .arg_format = format_, __VA_ARGS__ } }
#define ROWS_END { -1, { .name = NULL } }
#define OUTS(...) .outs = { __VA_ARGS__ }
#define BLOCKS .flags = SYS_BLOCKS
#define RECORDER .flags = SYS_RECORDER
#define DENY(errno_) .flags = SYS_DENY, .deny = errno_

/* Outputs.  A and N are argument numbers.  */
#define BYTES(a, size_) { .arg = a, .kind = OUT_FIXED, .size = size_ }
#define BYTES_EVEN(a, size_) { .arg = a, .kind = OUT_FIXED, .size = size_, .flags = OUT_EVEN_ON_ERROR }
#define RESULT(a) { .arg = a, .kind = OUT_RESULT }
#define RESULT_OF(a, size_) { .arg = a, .kind = OUT_RESULT, .size = size_ }
#define AT_MOST(a, n_) { .arg = a, .kind = OUT_RESULT, .n = n_, .flags = OUT_AT_MOST_N }
#define AT_MOST_OF(a, n_, size_) { .arg = a, .kind = OUT_RESULT, .n = n_, .size = size_, .flags = OUT_AT_MOST_N }
#define COUNT(a, n_) { .arg = a, .kind = OUT_ARG, .n = n_ }
#define COUNT_OF(a, n_, size_) { .arg = a, .kind = OUT_ARG, .n = n_, .size = size_ }
#define COUNT_EVEN(a, n_, size_) { .arg = a, .kind = OUT_ARG, .n = n_, .size = size_, .flags = OUT_EVEN_ON_ERROR }
#define POINTED(a, n_) { .arg = a, .kind = OUT_POINTED, .n = n_ }

extern const SysNumbered sys_rows_file[], sys_rows_path[], sys_rows_poll[], sys_rows_time[], sys_rows_signal[],
  sys_rows_process[], sys_rows_memory[], sys_rows_net[], sys_rows_ioctl[], sys_rows_prctl[], sys_rows_fcntl[],
  sys_rows_futex[], sys_rows_ipc[], sys_rows_stack[], sys_rows_misc[];

/* Like sys_add_memory, but as much of it as is readable.  */
void sys_add_some (SysCall *call, Event *event, Addr addr, guint64 length);
/* The parts of [ADDR, +LENGTH) that are not zero.  */
void sys_add_nonzero (SysCall *call, Event *event, Addr addr, guint64 length);
/* The buffers of an array of N iovecs at IOV, as far as TOTAL bytes go.  */
void sys_add_iovecs (SysCall *call, Event *event, Addr iov, guint64 n, guint64 total);
/* In enter: the program sees RESULT, the kernel nothing.  Returns TRUE.  */
gboolean sys_answer (SysCall *call, gint64 result);
/* In enter or leave: stop the recording, saying WHY.  Returns FALSE.  */
gboolean sys_refuse (const SysCall *call, const char *why, GError **error);
/* Open descriptor FD of the program for reading; -1 if that is impossible.  */
int sys_open_fd (const SysCall *call, int fd);

/* Where the main stack begins at most: END is its end, START where it begins
   now, FLOOR how far down it could go.  */
Addr sys_stack_start (const Task *task, Addr start, Addr end, Addr floor);

/* True if the result is an error (not a high address).  */
static inline gboolean
sys_failed (const SysCall *call)
{
  return call->result < 0 && call->result >= -4095;
}

/* An int argument: the kernel ignores the upper half.  */
static inline int
sys_int (const SysCall *call, int arg)
{
  return (int) call->args[arg];
}

struct _SysState
{
  Addr brk;               /* end of the heap, or 0: not known yet  */
  int personality;        /* -1: not known yet  */
  int dumpable;           /* what the program thinks it is  */
  gboolean wants_tsc, wants_cpuid; /* the program has asked for traps of these instructions  */
  GHashTable *files;      /* mapped.c: files that are or were mapped  */
  gboolean watching;      /* mapped.c: one of them can be written through a descriptor  */
  GHashTable *shared_pages; /* shared.c: hashes of pages by address, or NULL  */
  gboolean mem_open;      /* a /proc/PID/mem was opened for writing  */
  gboolean has_empty;     /* mapped.c: `empty' is the stored file without bytes  */
  guint32 empty;
};

#ifndef SYS_cachestat
#define SYS_cachestat 451
#define SYS_fchmodat2 452
#define SYS_map_shadow_stack 453
#define SYS_futex_wake 454
#define SYS_futex_wait 455
#define SYS_futex_requeue 456
#define SYS_statmount 457
#define SYS_listmount 458
#define SYS_lsm_get_self_attr 459
#define SYS_lsm_set_self_attr 460
#define SYS_lsm_list_modules 461
#define SYS_mseal 462
#define SYS_setxattrat 463
#define SYS_getxattrat 464
#define SYS_listxattrat 465
#define SYS_removexattrat 466
#define SYS_open_tree_attr 467
#define SYS_file_getattr 468
#define SYS_file_setattr 469
#define SYS_listns 470
#define SYS_uretprobe 335
#define SYS_uprobe 336
#endif

#endif
