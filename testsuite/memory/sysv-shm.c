/* System V shared memory: attached twice, detached, removed.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>

int
main (void)
{
  struct shmid_ds ds;
  int id = shmget (IPC_PRIVATE, 10000, IPC_CREAT | 0600);
  assert (id >= 0);
  char *p = shmat (id, NULL, 0);
  assert (p != (void *) -1);
  strcpy (p + 5000, "shared");
  assert (shmdt (p) == 0);
  p = shmat (id, (void *) 0x50000000, 0);
  assert (p == (void *) 0x50000000);
  const char *q = shmat (id, NULL, SHM_RDONLY);
  assert (q != (void *) -1);
  assert (shmctl (id, IPC_RMID, NULL) == 0 && shmctl (id, IPC_STAT, &ds) == 0);
  p[5000] = 'S';
  printf ("%s, %lu attached\n", q + 5000, (unsigned long) ds.shm_nattch);
  return 0;
}
