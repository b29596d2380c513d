/* System V messages and semaphores.  */
/* test: threads same-output */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

struct message
{
  long type;
  char text[20];
};

static int queue, sems;

static void *
send_messages (void *arg)
{
  struct sembuf wait = { 0, -1, 0 };
  struct message m = { 1, "" };
  semop (sems, &wait, 1);
  for (int i = 0; i < 3; i++)
    {
      m.type = i + 1;
      snprintf (m.text, sizeof m.text, "message %d", i);
      assert (msgsnd (queue, &m, sizeof m.text, 0) == 0);
    }
  return arg;
}

int
main (void)
{
  pthread_t t;
  struct message m;
  struct sembuf post = { 0, 1, 0 };
  struct msqid_ds ds;
  queue = msgget (IPC_PRIVATE, 0600 | IPC_CREAT);
  sems = semget (IPC_PRIVATE, 1, 0600 | IPC_CREAT);
  assert (queue >= 0 && sems >= 0 && semctl (sems, 0, SETVAL, 0) == 0);
  pthread_create (&t, NULL, send_messages, NULL);
  assert (semop (sems, &post, 1) == 0);
  for (long type = 3; type > 0; type--)
    {
      assert (msgrcv (queue, &m, sizeof m.text, type, 0) == sizeof m.text);
      puts (m.text);
    }
  pthread_join (t, NULL);
  assert (msgctl (queue, IPC_STAT, &ds) == 0);
  printf ("%lu left, %d\n", (unsigned long) ds.msg_qnum, semctl (sems, 0, GETVAL));
  msgctl (queue, IPC_RMID, NULL);
  semctl (sems, 0, IPC_RMID);
  return 0;
}
