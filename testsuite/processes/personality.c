/* personality, umask, nice, chroot refused or not: odds and ends.  */
#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int
main (void)
{
  struct sched_param param;
  umask (027);
  printf ("umask %o\n", umask (022));
  errno = 0;
  printf ("nice %d\n", nice (1));
  printf ("priority %d\n", getpriority (PRIO_PROCESS, 0));
  printf ("scheduler %d %d\n", sched_getscheduler (0), sched_getparam (0, &param));
  printf ("personality %x\n", (unsigned) personality (0xffffffff) & PER_MASK);
  printf ("chroot %d\n", chroot ("/no/such/place") == -1);
  printf ("priorities %d %d\n", sched_get_priority_max (SCHED_FIFO), sched_get_priority_min (SCHED_RR));
  return 0;
}
