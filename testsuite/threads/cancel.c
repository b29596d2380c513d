/* Cancellation: in a blocking read, in a condition wait, at a test point
   while computing, with clean-up handlers.  */
/* test: threads */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int pipe_fds[2];
static int cleaned;
static volatile int spun;

static void
clean (void *arg)
{
  __atomic_fetch_add (&cleaned, (int) (long) arg, __ATOMIC_SEQ_CST);
}

static void *
wait_in_read (void *arg)
{
  char c;
  pthread_cleanup_push (clean, (void *) 1L);
  assert (read (pipe_fds[0], &c, 1) != 1);
  pthread_cleanup_pop (0);
  return arg;
}

static void
unlock (void *arg)
{
  clean ((void *) 10L);
  pthread_mutex_unlock (arg);
}

static void *
wait_for_cond (void *arg)
{
  pthread_mutex_lock (&lock);
  pthread_cleanup_push (unlock, &lock);
  for (;;)
    pthread_cond_wait (&never, &lock);
  pthread_cleanup_pop (0);
  return arg;
}

static void *
test_cancel (void *arg)
{
  pthread_cleanup_push (clean, (void *) 100L);
  for (;;)
    {
      spun++;
      pthread_testcancel ();
    }
  pthread_cleanup_pop (0);
  return arg;
}

int
main (void)
{
  void *(*const body[]) (void *) = { wait_in_read, wait_for_cond, test_cancel };
  pthread_t t[3];
  assert (pipe (pipe_fds) == 0);
  for (int i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, body[i], NULL);
  while (spun == 0)
    sched_yield ();
  for (int i = 0; i < 3; i++)
    assert (pthread_cancel (t[i]) == 0);
  for (int i = 0; i < 3; i++)
    {
      void *ret;
      pthread_join (t[i], &ret);
      assert (ret == PTHREAD_CANCELED);
    }
  printf ("cleaned %d, spun %d\n", cleaned, spun);
  return 0;
}
