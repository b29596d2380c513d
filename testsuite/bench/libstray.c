/* A bug for redis-server, to be preloaded: a thread of this library writes
   through a stray pointer, once, after some thousand rounds of the server's
   event loop.  It hits the server's table of commands: what runs INCR.  The
   server goes on; it crashes when a client asks for INCR, which may be
   seconds later and in another thread.

   The server exports its symbols for its modules, so the table is found by
   name.  */

/* build: -O0 */

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum
{
  ROUNDS = 100,
  TABLE_WORDS = 40000
};

static atomic_int rounds;
static uintptr_t *stray;

/* The word of the table that leads to FUNCTION.  */
static uintptr_t *
find_entry (const char *function)
{
  uintptr_t wanted = (uintptr_t) dlsym (RTLD_DEFAULT, function);
  uintptr_t *table = dlsym (RTLD_DEFAULT, "redisCommandTable");

  for (size_t i = 0; table && wanted && i < TABLE_WORDS; i++)
    if (table[i] == wanted)
      return table + i;
  return NULL;
}

static void
tidy_up (void)
{
  uintptr_t *cell = stray;
  *cell = 0x6f6f7073;
}

static void *
janitor (void *arg)
{
  struct timespec pause = { 0, 1000000 };

  while (atomic_load (&rounds) < ROUNDS)
    nanosleep (&pause, NULL);
  tidy_up ();
  return arg;
}

/* The server's event loop asks for what is ready.  */
int
epoll_wait (int fd, struct epoll_event *events, int n, int timeout)
{
  static int started;

  if (!started)
    {
      pthread_t thread;
      started = 1;
      stray = find_entry ("incrCommand");
      if (stray)
        pthread_create (&thread, NULL, janitor, NULL);
    }
  atomic_fetch_add (&rounds, 1);
  return (int) syscall (SYS_epoll_wait, fd, events, n, timeout);
}
