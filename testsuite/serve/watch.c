/* Things to watch: globals, a field reached by a pointer, a local, memory
   that a system call writes, one word written by two threads.  */

/* build: -O0 */

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct pair
{
  int first;
  long second;
};

static int counter;
static int same = 7;
static char text[8];
static long wide[8];
static struct pair pairs[2], *chosen = pairs;
static volatile int sink;
static int shared;

static void
set (struct pair *pair, int value)
{
  pair->first = value;
  pair->second = value * 2;
}

static int
local (int n)
{
  int result = 1;

  for (int i = 0; i < n; i++)
    result *= 2;
  return result;
}

static void *
other (void *unused)
{
  shared = 2; /* the other thread */
  return unused;
}

int
main (void)
{
  pthread_t thread;
  int fds[2];

  for (counter = 0; counter < 3; counter++)
    same = 7;
  set (chosen, 10); /* the first */
  chosen = &pairs[1];
  set (chosen, 20);
  sink = same; /* read it */
  sink = local (3);
  if (pipe (fds) != 0 || write (fds[1], "abc", 4) != 4 || read (fds[0], text, 4) != 4)
    return 1;
  memset (wide, 1, sizeof wide);
  shared = 1;
  pthread_create (&thread, NULL, other, NULL);
  pthread_join (thread, NULL);
  shared = 3;
  printf ("%s %d\n", text, shared);
  return 0;
}
