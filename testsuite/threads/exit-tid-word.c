/* A raw clone with CLONE_CHILD_CLEARTID: the kernel clears the word and
   wakes its futex at the thread's exit; a loop without calls sees it.  */
/* test: threads */
#include <assert.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int tid_word, parent_word;
static volatile int ran;

static int
body (void *arg)
{
  ran = *(int *) arg;
  syscall (SYS_exit, 0);
  return 0;
}

int
main (void)
{
  enum { STACK = 65536 };
  int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM
              | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID;
  for (int i = 1; i <= 4; i++)
    {
      char *stack
          = mmap (NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      unsigned long spins = 0;
      tid_word = -1;
      int tid = clone (body, stack + STACK, flags, &i, (int *) &parent_word, NULL,
                       (int *) &tid_word);
      assert (tid > 0 && parent_word == tid);
      if (i % 2)
        while (tid_word != 0)
          spins++;
      else
        for (int seen; (seen = tid_word) != 0;)
          syscall (SYS_futex, &tid_word, FUTEX_WAIT, seen, NULL, NULL, 0);
      assert (ran == i);
      printf ("%d: tid %d, %lu spins\n", i, tid, spins);
      munmap (stack, STACK);
    }
  return 0;
}
