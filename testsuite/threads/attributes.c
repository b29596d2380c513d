/* Thread attributes: own stack, stack size, guard, name, affinity.  */
/* test: threads */
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
report (void *arg)
{
  pthread_attr_t attr;
  void *base;
  size_t size;
  char name[16];
  char *deep = __builtin_alloca (60000);
  memset (deep, 'x', 60000);
  pthread_getattr_np (pthread_self (), &attr);
  pthread_attr_getstack (&attr, &base, &size);
  pthread_setname_np (pthread_self (), arg);
  pthread_getname_np (pthread_self (), name, sizeof name);
  printf ("%s: stack %p+%zx, %c\n", name, base, size, deep[59999]);
  pthread_attr_destroy (&attr);
  return NULL;
}

int
main (void)
{
  pthread_t t;
  pthread_attr_t attr;
  void *stack = NULL;
  pthread_attr_init (&attr);
  pthread_attr_setstacksize (&attr, 1 << 20);
  pthread_attr_setguardsize (&attr, 65536);
  pthread_create (&t, &attr, report, "sized");
  pthread_join (t, NULL);
  assert (posix_memalign (&stack, 4096, 256 * 1024) == 0);
  pthread_attr_setstack (&attr, stack, 256 * 1024);
  pthread_create (&t, &attr, report, "own");
  pthread_join (t, NULL);
  free (stack);
  return 0;
}
