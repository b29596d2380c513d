/* Events and statuses in words, for `dump', `info' and messages.

   One line says what a reader of strace's output would want; details of
   memory and registers are printed below it on request.  */

#ifndef RETRO_CMD_DESCRIBE_H
#define RETRO_CMD_DESCRIBE_H

#include "log/log.h"

#include <stdio.h>

/* What a kind of event shows: "futex (0x404040, 128, 2, ...) = -EAGAIN".
   Without number, time and thread.  LOG, for names of files, may be
   NULL.  */
char *describe_event (const Event *event, const Log *log);

/* "exit status 3" or "killed by SIGSEGV" for a wait status.  */
char *describe_status (int status);

/* "1.234567" for MICROSECONDS.  */
char *describe_time (guint64 microseconds);

/* "read-only file mapping" and the like: one line for OP.  */
char *describe_op (const MapOp *op, const Log *log);

/* Several indented lines: the bytes of each write (at most 256 of each),
   and all registers that the event has.  */
void describe_writes (const Event *event, FILE *out);
void describe_registers (const Event *event, FILE *out);

#endif
