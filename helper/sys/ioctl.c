/* ioctl: what each request writes.

   A request made with the _IOC macros tells its size and direction; that
   is right for most.  The table has those that do not tell, lie, or write
   behind a second pointer.  A request that nobody knows is let run, since
   most fail (isatty and the like on another kind of file); when it succeeds
   and its argument points to memory, the recording cannot go on.  */

#include "sys/mapped.h"

#include <asm/ioctls.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/if_tun.h>
#include <linux/nsfs.h>
#include <linux/serial.h>
#include <linux/sockios.h>
#include <linux/wireless.h>
#include <string.h>
#include <sys/ioctl.h>

#define IFREQ 40

/* Rows of the table: a size, or how to find it.  */
typedef struct
{
  guint32 request;
  guint32 size; /* fixed part, at the argument  */
  /* A variable part that follows the fixed one or lies behind a pointer in
     it: COUNT items of ITEM bytes, the count being the word of count_size
     bytes at count_at.  */
  guint16 count_at, count_size, item;
  guint16 pointer_at; /* 0: follows  */
} Request;

#define NESTED (guint16) 4096 /* an amount that no known structure exceeds  */

static const Request requests[] = {
  /* Terminals.  */
  { TCGETS, 36, 0, 0, 0, 0 },
  { TCGETA, 18, 0, 0, 0, 0 },
  { TIOCGLCKTRMIOS, 36, 0, 0, 0, 0 },
  { TCGETX, 20, 0, 0, 0, 0 },
  { TIOCGWINSZ, sizeof (struct winsize), 0, 0, 0, 0 },
  { TIOCGPGRP, 4, 0, 0, 0, 0 },
  { TIOCGSID, 4, 0, 0, 0, 0 },
  { TIOCOUTQ, 4, 0, 0, 0, 0 },
  { FIONREAD, 4, 0, 0, 0, 0 },
  { TIOCMGET, 4, 0, 0, 0, 0 },
  { TIOCGSOFTCAR, 4, 0, 0, 0, 0 },
  { TIOCGETD, 4, 0, 0, 0, 0 },
  { TIOCGSERIAL, sizeof (struct serial_struct), 0, 0, 0, 0 },
  { TIOCGICOUNT, sizeof (struct serial_icounter_struct), 0, 0, 0, 0 },
  { TIOCGRS485, sizeof (struct serial_rs485), 0, 0, 0, 0 },
  { TIOCSERGETLSR, 4, 0, 0, 0, 0 },
  { TIOCLINUX, 16, 0, 0, 0, 0 },
  { FIOQSIZE, 8, 0, 0, 0, 0 },
  /* The virtual console.  */
  { 0x4b31 /* KDGETLED */, 1, 0, 0, 0, 0 },
  { 0x4b33 /* KDGKBTYPE */, 1, 0, 0, 0, 0 },
  { 0x4b3b /* KDGETMODE */, 4, 0, 0, 0, 0 },
  { 0x4b44 /* KDGKBMODE */, 4, 0, 0, 0, 0 },
  { 0x4b46 /* KDGKBENT */, 4, 0, 0, 0, 0 },
  { 0x4b62 /* KDGKBMETA */, 4, 0, 0, 0, 0 },
  { 0x4b64 /* KDGKBLED */, 1, 0, 0, 0, 0 },
  { 0x5600 /* VT_OPENQRY */, 4, 0, 0, 0, 0 },
  { 0x5601 /* VT_GETMODE */, 8, 0, 0, 0, 0 },
  { 0x5603 /* VT_GETSTATE */, 6, 0, 0, 0, 0 },
  /* The frame buffer.  */
  { 0x4600 /* FBIOGET_VSCREENINFO */, 160, 0, 0, 0, 0 },
  { 0x4602 /* FBIOGET_FSCREENINFO */, 80, 0, 0, 0, 0 },
  /* Sockets; other 0x89xx have a struct ifreq.  */
  { SIOCGIFCONF, 16, 0, 4, 1, 8 },
  { SIOCETHTOOL, IFREQ, 0, 0, NESTED, 16 },
  { SIOCGARP, 68, 0, 0, 0, 0 },
  { SIOCGRARP, 68, 0, 0, 0, 0 },
  /* Files and block devices.  */
  { FIBMAP, 4, 0, 0, 0, 0 },
  { FIGETBSZ, 4, 0, 0, 0, 0 },
  { FS_IOC_FIEMAP, 32, 20, 4, sizeof (struct fiemap_extent), 0 },
  { FIDEDUPERANGE, 24, 16, 2, 32, 0 },
  { 0xc0c0583b /* FS_IOC_GETFSMAP */, 192, 12, 4, 64, 0 },
  { 0xc0046686 /* FS_IOC_MEASURE_VERITY */, 4, 2, 2, 1, 0 },
  { 0xc0109414 /* BTRFS_IOC_SPACE_INFO */, 16, 8, 8, 24, 0 },
  { 0xc0709411 /* BTRFS_IOC_TREE_SEARCH_V2 */, 112, 104, 8, 1, 0 },
  { BLKROGET, 4, 0, 0, 0, 0 },
  { BLKGETSIZE, 8, 0, 0, 0, 0 },
  { BLKRAGET, 8, 0, 0, 0, 0 },
  { BLKFRAGET, 8, 0, 0, 0, 0 },
  { BLKSECTGET, 2, 0, 0, 0, 0 },
  { BLKSSZGET, 4, 0, 0, 0, 0 },
  { BLKIOMIN, 4, 0, 0, 0, 0 },
  { BLKIOOPT, 4, 0, 0, 0, 0 },
  { BLKALIGNOFF, 4, 0, 0, 0, 0 },
  { BLKPBSZGET, 4, 0, 0, 0, 0 },
  { BLKDISCARDZEROES, 4, 0, 0, 0, 0 },
  { BLKROTATIONAL, 2, 0, 0, 0, 0 },
  { 0x0301 /* HDIO_GETGEO */, 16, 0, 0, 0, 0 },
  { 0x030d /* HDIO_GET_IDENTITY */, 512, 0, 0, 0, 0 },
  { 0x2282 /* SG_GET_VERSION_NUM */, 4, 0, 0, 0, 0 },
  { 0x4c03 /* LOOP_GET_STATUS */, 168, 0, 0, 0, 0 },
  { 0x4c05 /* LOOP_GET_STATUS64 */, 232, 0, 0, 0, 0 },
  /* Others that lie.  */
  { TUNSETIFF, IFREQ, 0, 0, 0, 0 },
  { TUNGETIFF, IFREQ, 0, 0, 0, 0 },
  { NS_GET_OWNER_UID, 4, 0, 0, 0, 0 },
  { 0xc0505510 /* SNDRV_CTL_IOCTL_ELEM_LIST */, 80, 8, 4, 64, 16 },
  { 0xc008551a /* SNDRV_CTL_IOCTL_TLV_READ */, 8, 4, 4, 1, 0 },
};

/* Families (the type byte) whose structures hold pointers that the kernel
   writes through in ways not known here.  */
static const struct
{
  guint8 type;
  const char *what;
} opaque_types[] = {
  { 'd', "graphics hardware" },
  { 'N', "NVMe commands" },
  { 'F', "graphics hardware" },
  { 0xae, "virtual machines" },
  { 0x22, "SCSI commands" },
};

static guint64
read_number (const SysCall *call, Addr addr, guint size)
{
  guint64 value = 0;

  task_read_some (call->task, addr, &value, size);
  return value;
}

static void
add_request (SysCall *call, Event *event, const Request *r)
{
  Addr arg = call->args[2], at = arg + r->size;
  guint64 length = r->item;

  sys_add_some (call, event, arg, r->size);
  if (r->item == 0)
    return;
  if (r->count_size != 0)
    length *= MIN (read_number (call, arg + r->count_at, r->count_size), 1u << 24);
  if (r->pointer_at != 0)
    at = read_number (call, arg + r->pointer_at, 8);
  sys_add_some (call, event, at, length);
}

static const Request *
find_request (guint32 request)
{
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    if (requests[i].request == request)
      return &requests[i];
  return NULL;
}

/* Wireless extensions: a struct iwreq, and mostly a buffer behind it.  */
static void
add_wireless (SysCall *call, Event *event)
{
  sys_add_some (call, event, call->args[2], sizeof (struct iwreq));
  sys_add_some (call, event, read_number (call, call->args[2] + 16, 8), NESTED);
}

static gboolean
refuse (SysCall *call, const char *what, GError **error)
{
  g_autofree char *why
    = g_strdup_printf ("request 0x%x writes memory in a way that is not known (%s)", (guint) call->args[1], what);
  return sys_refuse (call, why, error);
}

static gboolean
enter_ioctl (SysCall *call, GError **error)
{
  (void) error;
  switch ((guint32) call->args[1])
    {
    case TCSBRK:
    case TCSBRKP:
    case TCSETSW:
    case TCSETSF:
    case TIOCMIWAIT:
    case 0x5607: /* VT_WAITACTIVE  */
      call->blocks = TRUE;
      break;
    default:
      call->blocks = FALSE;
      break;
    }
  return TRUE;
}

static gboolean
leave_ioctl (SysCall *call, Event *event, GError **error)
{
  guint32 request = (guint32) call->args[1];
  guint type = _IOC_TYPE (request);
  const Request *r;

  if (sys_failed (call))
    return TRUE;
  if (request == FICLONE || request == FICLONERANGE)
    return !call->state->watching || mapped_written (call, event, sys_int (call, 0), 0, G_MAXUINT64, error);
  if ((r = find_request (request)) != NULL)
    {
      add_request (call, event, r);
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (opaque_types); i++)
    if (opaque_types[i].type == type && _IOC_DIR (request) != _IOC_WRITE)
      return refuse (call, opaque_types[i].what, error);
  if (_IOC_DIR (request) & _IOC_READ)
    sys_add_some (call, event, call->args[2], _IOC_SIZE (request));
  else if (_IOC_DIR (request) & _IOC_WRITE)
    return TRUE; /* the kernel only reads  */
  else if (type == 0x89)
    sys_add_some (call, event, call->args[2], IFREQ);
  else if (type == 0x8b)
    add_wireless (call, event);
  else if (type != 'T' && space_find (call->space, call->args[2]) != NULL)
    return refuse (call, "an unknown device", error);
  return TRUE;
}

const SysNumbered sys_rows_ioctl[] = {
  R (ioctl, "fxx", BLOCKS, .enter = enter_ioctl, .leave = leave_ioctl),
  ROWS_END,
};
