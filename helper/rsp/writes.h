/* What the user's writes mean: history, or a throw-away copy.

   GDB writes registers and memory without saying why.  This layer, between
   the packets and the session, tells function calls from lasting changes
   (table in doc/protocol.md, "What happens to writes"):

     NONE      what is seen is history
     OPEN      memory below the stack pointer was written (a dummy frame):
               the session is in a diversion, nothing ran there
     RUN       a call runs, or stopped, in the diversion; registers and
               memory are the diversion's
     RESTORED  the registers are as before the call: history is shown
               again, but for what the call's result reaches
     ASKED     QRetro:Divert: everything is the diversion's

   Register writes are staged here (except in RUN and ASKED) until the
   program is resumed; then they are a call, or a change of history at the
   frontier, or, in the past, dropped with a remark.

   The order of GDB 13 (infcall.c, infrun.c) that this relies on: it saves
   the registers; writes 0xcc and stack arguments below $rsp - 128; writes
   registers one by one; inserts a breakpoint at the return address in the
   stack; resumes; restores the registers one by one.  Coercing an argument
   in between may be a whole call of its own (malloc for a string literal),
   followed by a write into what it returned.  */

#ifndef RETRO_RSP_WRITES_H
#define RETRO_RSP_WRITES_H

#include "rsp/registers.h"
#include "timeline/session.h"

typedef struct _Writes Writes;
typedef struct _Server Server;

Writes *writes_new (Server *server);
void writes_free (Writes *writes);
/* Forget everything (time was moved, the session is new).  A diversion of
   ours is not ended.  */
void writes_reset (Writes *writes);

/* Registers of THREAD as the user is to see them.  STATE's xstate becomes
   a new array or NULL; free it with reg_state_clear.  */
gboolean writes_get_state (Writes *writes, ThreadNo thread, RegState *state, GError **error);
/* Set register NUMBER.  */
gboolean writes_set_register (Writes *writes, ThreadNo thread, guint number, const guint8 *value, GError **error);
gsize writes_read (Writes *writes, Addr addr, void *buffer, gsize length);
gboolean writes_write (Writes *writes, Addr addr, const void *buffer, gsize length, GError **error);

/* QRetro:Divert, QRetro:EndDivert.  */
gboolean writes_divert (Writes *writes, GError **error);
gboolean writes_end_divert (Writes *writes, GError **error);

/* The program is about to be resumed as REQUEST (which may be changed).
   After TRUE the session is ready: in the diversion of a call (*CALL_RET),
   or in history with all lasting changes made.  */
gboolean writes_before_resume (Writes *writes, SessionRequest *request, gboolean *call_ret, GError **error);
/* After a resumption with *CALL_RET: remember the result.  If the copy died (STOP
   says so) it is made again as at the call's start.  */
gboolean writes_after_call (Writes *writes, Stop *stop, GError **error);
/* Is a function call going on?  */
gboolean writes_in_call (const Writes *writes);

#endif
