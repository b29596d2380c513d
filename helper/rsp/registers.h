/* Registers: the target description and the layout of register packets.

   GDB is given a description made for this CPU (XCR0 says what it has);
   the numbers in `p', `P', stop replies and agent expressions are indexes
   into the same list, and the `g' packet is all of them in order.  General
   registers come from ptrace's user_regs_struct; everything else from the
   kernel's XSAVE image in standard format, whose component offsets CPUID
   leaf 0xd tells.

   Kernel facts: a component whose bit is clear in XSTATE_BV is in its
   initial state, and setting a register in it must set the bit; the image
   holds the x87 tag word abridged, GDB wants it in full.  */

#ifndef RETRO_RSP_REGISTERS_H
#define RETRO_RSP_REGISTERS_H

#include "base/types.h"

#define REGNO_RBP 6
#define REGNO_RSP 7
#define REGNO_RIP 16
/* Longest register in bytes.  */
#define REGNO_MAX_SIZE 64

/* Both halves of a thread's state.  XSTATE may be NULL: unavailable.  */
typedef struct _RegState
{
  Regs regs;
  GByteArray *xstate;
} RegState;

/* Number of registers, and bytes in the `g' packet.  */
guint registers_count (void);
gsize registers_packet_size (void);
const char *registers_name (guint number);
/* Bytes of register NUMBER, 0 if there is none.  */
gsize registers_size (guint number);
/* Offset of register NUMBER in the `g' packet.  */
gsize registers_offset (guint number);
/* Is it one of user_regs_struct?  */
gboolean registers_is_general (guint number);

/* The value of register NUMBER into BUFFER (registers_size bytes).  FALSE:
   unavailable, or no such register.  */
gboolean registers_get (const RegState *state, guint number, guint8 *buffer);
/* Set it.  FALSE as above, or it cannot be set.  */
gboolean registers_set (RegState *state, guint number, const guint8 *buffer);

/* Free what STATE holds.  */
void reg_state_clear (RegState *state);

/* target.xml; static.  */
const char *registers_xml (void);

#endif
