/* For the tests of ticks: a traced child that can run any function of the
   test program, and comparison of translation with single steps.

   A harness forks a child, seizes it, gives it an arena, and keeps it as a
   template; each trial is a fork of the template made by an injected call,
   so that all trials of one function start with equal memory.  */

#ifndef TICKS_HARNESS_H
#define TICKS_HARNESS_H

#include "base/error.h"
#include "ticks/ticks.h"
#include "trace/task.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HARNESS_STACK 0x6e0000000000ul
#define HARNESS_STACK_SIZE 0x4000000ul

typedef struct
{
  Ticks *ticks;
  Task template;
} Harness;

/* What a function returns to: a system call, where the run stops.  */
void harness_return (void);
__asm__ (".text; .globl harness_return; harness_return: syscall; hlt");

static inline void
harness_map (Harness *h, Addr addr, gsize size, int prot, int flags, int fd)
{
  const guint64 args[6] = { addr, size, (guint64) prot, (guint64) (flags | MAP_FIXED), (guint64) fd, 0 };
  g_autoptr (GError) error = NULL;
  gint64 result;

  gboolean ok = task_inject (&h->template, SYS_mmap, args, &result, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  g_assert_cmpint (result, ==, (gint64) addr);
}

static inline void
harness_init (Harness *h)
{
  g_autoptr (GError) error = NULL;
  int status;

  h->ticks = ticks_new (&error);
  g_assert_no_error (error);
  pid_t pid = fork ();
  if (pid == 0)
    for (;;)
      pause ();
  g_assert_cmpint (ptrace (PTRACE_SEIZE, pid, 0, TASK_OPTIONS), ==, 0);
  g_assert_cmpint (ptrace (PTRACE_INTERRUPT, pid, 0, 0), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, __WALL), ==, pid);
  g_assert_true (task_init (&h->template, pid, &error));
  h->template.syscall_insn = (Addr) harness_return;
  harness_map (h, ARENA_STATE, ARENA_STATE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  harness_map (h, ARENA_CACHE, ARENA_CACHE_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, ticks_cache_fd (h->ticks));
  harness_map (h, HARNESS_STACK, HARNESS_STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static inline void
harness_clear (Harness *h)
{
  task_kill (&h->template);
  ticks_free (h->ticks);
}

/* A copy of the template about to call FUNC (ARG).  */
static inline void
harness_start (Harness *h, Task *task, gconstpointer func, guint64 arg)
{
  const guint64 args[6] = { 0 };
  g_autoptr (GError) error = NULL;
  Regs regs = { 0 };
  Addr back = (Addr) harness_return;
  pid_t child = 0;
  gint64 result;

  g_assert_true (task_get_regs (&h->template, &regs, &error));
  gboolean ok = task_inject (&h->template, SYS_fork, args, &result, &child, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  g_assert_true (task_init (task, child, &error));
  task->syscall_insn = h->template.syscall_insn;
  regs.rip = (Addr) func;
  regs.rdi = arg;
  regs.rax = regs.rbx = regs.rcx = regs.rdx = regs.rsi = regs.rbp = 0;
  regs.r8 = regs.r9 = regs.r10 = regs.r11 = regs.r12 = regs.r13 = regs.r14 = regs.r15 = 0;
  regs.eflags = 0x202;
  regs.rsp = HARNESS_STACK + HARNESS_STACK_SIZE - 4096 - 8;
  regs.orig_rax = ~0ull;
  g_assert_true (task_write (task, regs.rsp, &back, sizeof back, &error));
  g_assert_true (task_set_regs (task, &regs, &error));
}

/* The executable part of the template's memory.  */
static inline Space *
harness_space (Harness *h)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", h->template.tid);
  g_autofree char *text = NULL;
  Space *space = space_new ();

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char prot[5] = "";
      Mapping map = { .file = NO_FILE, .prot = PROT_READ | PROT_EXEC };

      if (sscanf (lines[i], "%lx-%lx %4s", &map.start, &map.end, prot) == 3 && g_str_has_prefix (prot, "r-x")
          && map.end <= USER_END)
        g_array_append_val (space->maps, map);
    }
  return space;
}

static inline void
assert_same_regs (const Regs *a, const Regs *b)
{
  g_assert_cmphex (a->rip, ==, b->rip);
  g_assert_cmphex (a->rsp, ==, b->rsp);
  g_assert_cmphex (a->rax, ==, b->rax);
  g_assert_cmphex (a->rbx, ==, b->rbx);
  g_assert_cmphex (a->rcx, ==, b->rcx);
  g_assert_cmphex (a->rdx, ==, b->rdx);
  g_assert_cmphex (a->rsi, ==, b->rsi);
  g_assert_cmphex (a->rdi, ==, b->rdi);
  g_assert_cmphex (a->rbp, ==, b->rbp);
  g_assert_cmphex (a->r8, ==, b->r8);
  g_assert_cmphex (a->r9, ==, b->r9);
  g_assert_cmphex (a->r10, ==, b->r10);
  g_assert_cmphex (a->r11, ==, b->r11);
  g_assert_cmphex (a->r12, ==, b->r12);
  g_assert_cmphex (a->r13, ==, b->r13);
  g_assert_cmphex (a->r14, ==, b->r14);
  g_assert_cmphex (a->r15, ==, b->r15);
  g_assert_cmphex (a->eflags & ~0x10000ull, ==, b->eflags & ~0x10000ull);
  g_assert_cmphex (a->fs_base, ==, b->fs_base);
  g_assert_cmphex (a->gs_base, ==, b->gs_base);
}

static inline void
run_or_fail (Ticks *ticks, Task *task, const TicksRequest *request, TicksResult *result)
{
  g_autoptr (GError) error = NULL;

  gboolean ok = ticks != NULL ? ticks_run (ticks, task, request, result, &error)
                              : ticks_step_run (task, request, result, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
}

/* Registers, extended state, stack.  */
static inline void
assert_same_state (const Task *a, const Task *b)
{
  static guint8 stack_a[0x10000], stack_b[0x10000];
  Regs regs_a = { 0 }, regs_b = { 0 };

  g_assert_true (task_get_regs (a, &regs_a, NULL));
  g_assert_true (task_get_regs (b, &regs_b, NULL));
  assert_same_regs (&regs_a, &regs_b);
  Addr base = HARNESS_STACK + HARNESS_STACK_SIZE - sizeof stack_a;
  g_assert_true (task_read (a, base, stack_a, sizeof stack_a, NULL));
  g_assert_true (task_read (b, base, stack_b, sizeof stack_b, NULL));
  for (gsize i = 0; i < sizeof stack_a; i += 8)
    if (memcmp (stack_a + i, stack_b + i, 8) != 0)
      g_test_message ("stack differs at 0x%" G_GINT64_MODIFIER "x: %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x",
                      base + i, *(guint64 *) (stack_a + i), *(guint64 *) (stack_b + i));
  g_assert_cmpmem (stack_a, sizeof stack_a, stack_b, sizeof stack_b);
  g_autoptr (GBytes) x = task_get_xstate (a, NULL);
  g_autoptr (GBytes) y = task_get_xstate (b, NULL);
  g_assert_cmphex (xstate_hash (x), ==, xstate_hash (y));
}

#endif
