/* fcntl: most commands write nothing.  */

#include "sys/rows.h"

#include <fcntl.h>

#ifndef F_GET_FILE_RW_HINT
#define F_GET_FILE_RW_HINT 1037
#endif
#ifndef F_GETOWNER_UIDS
#define F_GETOWNER_UIDS 17
#endif

static const struct
{
  int command;
  guint32 size;
} outputs[] = {
  { F_GETLK, sizeof (struct flock) },
  { F_OFD_GETLK, sizeof (struct flock) },
  { F_GETOWN_EX, sizeof (struct f_owner_ex) },
  { F_GETOWNER_UIDS, 8 },
  { F_GET_RW_HINT, 8 },
  { F_GET_FILE_RW_HINT, 8 },
};

static gboolean
enter_fcntl (SysCall *call, GError **error)
{
  int command = sys_int (call, 1);

  (void) error;
  call->blocks = command == F_SETLKW || command == F_OFD_SETLKW;
  return TRUE;
}

static gboolean
leave_fcntl (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (!sys_failed (call))
    for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
      if (outputs[i].command == sys_int (call, 1))
        sys_add_some (call, event, call->args[2], outputs[i].size);
  return TRUE;
}

const SysNumbered sys_rows_fcntl[] = {
  R (fcntl, "fdx", BLOCKS, .enter = enter_fcntl, .leave = leave_fcntl),
  ROWS_END,
};
