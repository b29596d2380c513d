/* System V and POSIX message queues, semaphores; the control calls of
   shared memory (attaching it is in memory.c).  */

#include "sys/rows.h"

#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

/* A control command and the size of what it returns.  */
typedef struct
{
  int command;
  guint32 size;
} Command;

static const Command sem_commands[] = {
  { IPC_STAT, sizeof (struct semid_ds) }, { SEM_STAT, sizeof (struct semid_ds) },
  { 20 /* SEM_STAT_ANY */, sizeof (struct semid_ds) }, { IPC_INFO, sizeof (struct seminfo) },
  { SEM_INFO, sizeof (struct seminfo) }, { 0, 0 },
};

static const Command shm_commands[] = {
  { IPC_STAT, sizeof (struct shmid_ds) }, { SHM_STAT, sizeof (struct shmid_ds) },
  { 15 /* SHM_STAT_ANY */, sizeof (struct shmid_ds) }, { IPC_INFO, sizeof (struct shminfo) },
  { SHM_INFO, sizeof (struct shm_info) }, { 0, 0 },
};

static const Command msg_commands[] = {
  { IPC_STAT, sizeof (struct msqid_ds) }, { MSG_STAT, sizeof (struct msqid_ds) },
  { 13 /* MSG_STAT_ANY */, sizeof (struct msqid_ds) }, { IPC_INFO, sizeof (struct msginfo) },
  { MSG_INFO, sizeof (struct msginfo) }, { 0, 0 },
};

static void
add_command (SysCall *call, Event *event, const Command *table, int command, Addr addr)
{
  if (sys_failed (call))
    return;
  for (; table->size != 0; table++)
    if (table->command == (command & 0xff)) /* without IPC_64  */
      sys_add_some (call, event, addr, table->size);
}

/* GETALL fills an array whose length only the kernel knows; where it does
   not say, the largest is assumed.  */
static gboolean
leave_semctl (SysCall *call, Event *event, GError **error)
{
  (void) error;
  add_command (call, event, sem_commands, sys_int (call, 2), call->args[3]);
  if (!sys_failed (call) && (sys_int (call, 2) & 0xff) == GETALL)
    {
      struct semid_ds ds;
      guint64 n = 32000;
      if (semctl (sys_int (call, 0), 0, IPC_STAT, &ds) == 0)
        n = ds.sem_nsems;
      sys_add_some (call, event, call->args[3], n * 2);
    }
  return TRUE;
}

static gboolean
leave_shmctl (SysCall *call, Event *event, GError **error)
{
  (void) error;
  add_command (call, event, shm_commands, sys_int (call, 1), call->args[2]);
  return TRUE;
}

static gboolean
leave_msgctl (SysCall *call, Event *event, GError **error)
{
  (void) error;
  add_command (call, event, msg_commands, sys_int (call, 1), call->args[2]);
  return TRUE;
}

/* The type, then the text.  */
static gboolean
leave_msgrcv (SysCall *call, Event *event, GError **error)
{
  (void) error;
  if (!sys_failed (call))
    sys_add_some (call, event, call->args[1], (guint64) call->result + 8);
  return TRUE;
}

static gboolean
enter_msg (SysCall *call, GError **error)
{
  (void) error;
  call->blocks = !(call->args[call->nr == SYS_msgrcv ? 4 : 3] & IPC_NOWAIT);
  return TRUE;
}

const SysNumbered sys_rows_ipc[] = {
  R (semget, "xdx"),
  R (semop, "dpu", BLOCKS),
  R (semtimedop, "dpup", BLOCKS),
  R (semctl, "ddxp", .leave = leave_semctl),
  R (shmget, "xux"),
  R (shmctl, "dxp", .leave = leave_shmctl),
  R (msgget, "xx"),
  R (msgsnd, "dpux", BLOCKS, .enter = enter_msg),
  R (msgrcv, "dpulx", BLOCKS, .enter = enter_msg, .leave = leave_msgrcv),
  R (msgctl, "dxp", .leave = leave_msgctl),
  R (mq_open, "sxop"),
  R (mq_unlink, "s"),
  R (mq_timedsend, "fpuup", BLOCKS),
  R (mq_timedreceive, "fpupp", BLOCKS, OUTS (AT_MOST (1, 2), BYTES (3, 4))),
  R (mq_notify, "fp"),
  R (mq_getsetattr, "fpp", OUTS (BYTES (2, sizeof (struct mq_attr)))),
  ROWS_END,
};
