/* Sockets.

   Results can exceed buffers (MSG_TRUNC), and address lengths are what the
   address would have needed, so everything is clamped to what the program
   offered.  Descriptors that arrive in control messages exist only in the
   live program; a replay needs none.  */

#include "sys/rows.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#ifndef TCP_ZEROCOPY_RECEIVE
#define TCP_ZEROCOPY_RECEIVE 35
#endif

static gboolean
enter_flags_2 (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = !(call->args[2] & MSG_DONTWAIT);
  return TRUE;
}

static gboolean
enter_flags_3 (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = !(call->args[3] & MSG_DONTWAIT);
  return TRUE;
}

/* One struct msghdr at ADDR with RECEIVED bytes.  */
static void
add_message (SysCall *call, Event *event, Addr addr, guint64 received)
{
  struct msghdr m;

  sys_add_some (call, event, addr, sizeof m);
  if (task_read_some (call->task, addr, &m, sizeof m) != sizeof m)
    return;
  sys_add_some (call, event, (Addr) m.msg_name, MIN (m.msg_namelen, sizeof (struct sockaddr_storage)));
  sys_add_some (call, event, (Addr) m.msg_control, m.msg_controllen);
  sys_add_iovecs (call, event, (Addr) m.msg_iov, m.msg_iovlen, received);
}

static gboolean
leave_recvmsg (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (!sys_failed (call))
    add_message (call, event, call->args[1], (guint64) call->result);
  return TRUE;
}

static gboolean
leave_recvmmsg (SysCall *call, Event *event, GError **error)
{
  (void) error;
  for (gint64 i = 0; i < call->result; i++)
    {
      Addr addr = call->args[1] + (guint64) i * sizeof (struct mmsghdr);
      guint32 received = 0;
      Addr length_addr = addr + G_STRUCT_OFFSET (struct mmsghdr, msg_len);

      task_read_some (call->task, length_addr, &received, sizeof received);
      add_message (call, event, addr, received);
      sys_add_some (call, event, length_addr, sizeof received);
    }
  return TRUE;
}

/* How much was sent of each message; also of those before a failure, whose
   number the result does not tell.  */
static gboolean
leave_sendmmsg (SysCall *call, Event *event, GError **error)
{
  guint64 n = MIN (call->args[2] & G_MAXUINT32, 1024);

  (void) error;
  if (!sys_failed (call))
    n = (guint64) call->result;
  sys_add_some (call, event, call->args[1], n * sizeof (struct mmsghdr));
  return TRUE;
}

/* TCP_ZEROCOPY_RECEIVE would map the packets.  */
static gboolean
enter_getsockopt (SysCall *call, GError **error)
{
  (void) error;
  if (sys_int (call, 1) == IPPROTO_TCP && sys_int (call, 2) == TCP_ZEROCOPY_RECEIVE)
    return sys_answer (call, -ENOPROTOOPT);
  return TRUE;
}

/* SO_GET_FILTER counts instructions, not bytes.  */
static gboolean
leave_getsockopt (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (!sys_failed (call) && sys_int (call, 1) == SOL_SOCKET && sys_int (call, 2) == SO_GET_FILTER)
    sys_add_some (call, event, call->args[3], MIN (call->pointed, 65536) * (guint64) 8);
  return TRUE;
}

#define ADDRESS(a, n) POINTED (a, n), BYTES (n, 4)

const SysNumbered sys_rows_net[] = {
  R (socket, "xxd"),
  R (socketpair, "xxdp", OUTS (BYTES (3, 8))),
  R (bind, "fpu"),
  R (listen, "fd"),
  R (connect, "fpu", BLOCKS),
  R (accept, "fpp", BLOCKS, OUTS (ADDRESS (1, 2))),
  R (accept4, "fppx", BLOCKS, OUTS (ADDRESS (1, 2))),
  R (getsockname, "fpp", OUTS (ADDRESS (1, 2))),
  R (getpeername, "fpp", OUTS (ADDRESS (1, 2))),
  R (getsockopt, "fddpp", OUTS (POINTED (3, 4), BYTES_EVEN (4, 4)), .enter = enter_getsockopt,
     .leave = leave_getsockopt),
  R (setsockopt, "fddpu"),
  R (shutdown, "fd"),
  R (sendto, "fpuxpu", BLOCKS, .enter = enter_flags_3),
  R (recvfrom, "fpuxpp", BLOCKS, OUTS (AT_MOST (1, 2), ADDRESS (4, 5)), .enter = enter_flags_3),
  R (sendmsg, "fpx", BLOCKS, .enter = enter_flags_2),
  R (recvmsg, "fpx", BLOCKS, .enter = enter_flags_2, .leave = leave_recvmsg),
  R (sendmmsg, "fpux", BLOCKS, .enter = enter_flags_3, .leave = leave_sendmmsg),
  R (recvmmsg, "fpuxp", BLOCKS, OUTS (BYTES_EVEN (4, 16)), .enter = enter_flags_3, .leave = leave_recvmmsg),
  ROWS_END,
};
