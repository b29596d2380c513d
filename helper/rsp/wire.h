/* The wire: packets over two descriptors.

     $DATA#CC   a packet and its checksum        + -   received well, badly
     0x03       stop the program

   Data may be escaped (} and the byte xor 0x20); what wire_read returns
   is not.  Nothing is run-length encoded on the way out.  Until
   wire_stop_acks each packet is acknowledged, and the last one is sent
   again when the other side asks for it.

   A packet longer than WIRE_MAX, or with a wrong checksum when there are
   no acknowledgements, comes out as WIRE_BAD: answer it with an error.
   Bytes between packets that mean nothing are skipped.

   The descriptors stay the caller's; the Wire never closes them.  */

#ifndef RETRO_RSP_WIRE_H
#define RETRO_RSP_WIRE_H

#include <glib.h>

/* Announced as PacketSize: longest packet either side sends.  */
#define WIRE_PACKET_SIZE 0x20000u
/* Longest packet that is taken (escapes not counted).  */
#define WIRE_MAX (4 * WIRE_PACKET_SIZE)

typedef struct _Wire Wire;

typedef enum
{
  WIRE_PACKET,
  WIRE_BAD,
  WIRE_INTERRUPT, /* a 0x03 outside of packets  */
  WIRE_CLOSED     /* end of file, an error, or wire_close was called  */
} WireEvent;

Wire *wire_new (int in_fd, int out_fd);
void wire_free (Wire *wire);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Wire, wire_free)

/* Wait for the next packet; its data is in *DATA_RET until the next call
   (with a NUL behind it that is not counted).  */
WireEvent wire_read (Wire *wire, const char **data_ret, gsize *length_ret);
/* Send a packet whose data has its escapes already.  A side that has gone
   is noticed by the next wire_read.  */
void wire_send (Wire *wire, const char *data, gsize length);
/* Console output for the user ("O" and hex); only while the client waits
   for a stop reply or the answer to qRcmd.  */
void wire_console (Wire *wire, const char *text);
/* QStartNoAckMode was agreed on.  */
void wire_stop_acks (Wire *wire);

/* Without waiting: has the other side asked to stop (a 0x03 that is next
   in line, which is consumed), or gone?  */
gboolean wire_interrupted (Wire *wire);
gboolean wire_is_closed (const Wire *wire);
/* Bytes are read from here.  */
int wire_fd (const Wire *wire);
/* Signal safe: make wire_read return WIRE_CLOSED on all wires.  */
void wire_close_all (void);

#endif
