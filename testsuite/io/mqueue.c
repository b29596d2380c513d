/* POSIX message queues.  Exit 77 where there are none.  */
/* test: same-output */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int
main (void)
{
  char name[40], buf[32] = "";
  unsigned prio;
  struct mq_attr attr = { .mq_maxmsg = 4, .mq_msgsize = 32 };
  struct timespec now;
  snprintf (name, sizeof name, "/retro-test-%d", getpid ());
  mqd_t q = mq_open (name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
  if (q == (mqd_t) -1)
    return 77;
  mq_unlink (name);
  assert (mq_send (q, "low", 4, 1) == 0 && mq_send (q, "high", 5, 9) == 0);
  for (int i = 0; i < 2; i++)
    {
      assert (mq_receive (q, buf, sizeof buf, &prio) > 0);
      printf ("%s %u\n", buf, prio);
    }
  clock_gettime (CLOCK_REALTIME, &now);
  assert (mq_timedreceive (q, buf, sizeof buf, NULL, &now) == -1 && errno == ETIMEDOUT);
  assert (mq_getattr (q, &attr) == 0 && attr.mq_msgsize == 32);
  return 0;
}
