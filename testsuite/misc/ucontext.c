/* Coroutines: makecontext and swapcontext change stacks in user space.  */
/* test: same-output */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t main_context, coroutine[3];

static void
run (int me)
{
  for (int i = 0; i < 3; i++)
    {
      printf ("%d.%d ", me, i);
      swapcontext (&coroutine[me], me == 2 ? &main_context : &coroutine[me + 1]);
    }
}

int
main (void)
{
  for (int i = 0; i < 3; i++)
    {
      getcontext (&coroutine[i]);
      coroutine[i].uc_stack.ss_sp = malloc (65536);
      coroutine[i].uc_stack.ss_size = 65536;
      coroutine[i].uc_link = &main_context;
      makecontext (&coroutine[i], (void (*) (void)) run, 1, i);
    }
  for (int i = 0; i < 3; i++)
    swapcontext (&main_context, &coroutine[0]);
  puts ("");
  return 0;
}
