/* Every way to stop: breakpoints with skips and conditions, points,
   watches, faults, system calls, interrupts.  Where single steps can tell,
   they say what is right; else the program's own counters do.  */

#include "ticks-harness.h"

#include "record/point.h"

#include <signal.h>

static Harness harness;

/* counter_loop: a loop whose only progress is in memory; loop_body is its
   break address.  */
guint64 counter_loop (guint64 n);
extern const char loop_body[], loop_store[], loop_end[];
static guint64 loop_counter __attribute__ ((used)), loop_sum __attribute__ ((used));
__asm__ (".text\n"
         "counter_loop:\n"
         "  mov %rdi, loop_counter(%rip)\n"
         "1:\n"
         "loop_body: nop\n"
         "  mov loop_counter(%rip), %rax\n"
         "  add %rax, loop_sum(%rip)\n"
         "  xor %eax, %eax\n"
         "loop_store: decq loop_counter(%rip)\n"
         "  jnz 1b\n"
         "loop_end: mov loop_sum(%rip), %rax\n"
         "  ret\n");

guint64 rep_copy (guint64 n);
extern const char rep_insn[], rep_compare[];
static char rep_from[0x10000] __attribute__ ((used)), rep_to[0x10000] __attribute__ ((used));
__asm__ (".text\n"
         "rep_copy:\n"
         "  mov $3, %ebx\n"
         "1: lea rep_from(%rip), %rsi\n"
         "  lea rep_to(%rip), %rdi\n"
         "  mov $0x8000, %ecx\n"
         "rep_insn: rep movsb\n"
         "  lea rep_from(%rip), %rsi\n"
         "  lea rep_to(%rip), %rdi\n"
         "  mov $0x4000, %ecx\n"
         "  cmp %eax, %eax\n"
         "rep_compare: repe cmpsw\n"
         "  dec %ebx\n"
         "  jnz 1b\n"
         "  ret\n");

/* Loops that change nothing but a vector or x87 register.  */
void sse_loop (void), avx_loop (void), x87_loop (void);
extern const char sse_body[], avx_body[], x87_body[];
static guint64 one_high[4] __attribute__ ((used)) = { 0, 0, 0, 1 };
__asm__ (".text\n"
         "sse_loop:\n"
         "  pcmpeqd %xmm9, %xmm9\n"
         "1:\n"
         "sse_body: psubq %xmm9, %xmm10\n"
         "  jmp 1b\n"
         "avx_loop:\n"
         "  vmovdqu one_high(%rip), %ymm1\n"
         "1: vpaddq %ymm1, %ymm0, %ymm0\n"
         "avx_body: nop\n"
         "  jmp 1b\n"
         "x87_loop:\n"
         "  fninit; fld1; fldz\n"
         "1: fadd %st(1), %st\n"
         "x87_body: jmp 1b\n");

guint64 faults (guint64 which);
extern const char fault_0[], fault_1[], fault_2[], fault_3[], fault_4[], fault_5[], fault_6[], fault_7[], fault_8[],
  fault_9[];
static guint64 zero_word __attribute__ ((used));
__asm__ (".text\n"
         "faults:\n"
         "  mov $0x1234, %eax\n  mov $0x77, %edx\n  mov $0x66, %ecx\n"
         "  lea 9f(%rip), %rbx\n"
         "  movslq (%rbx,%rdi,4), %rsi\n"
         "  add %rbx, %rsi\n"
         "  jmp *%rsi\n"
         "9: .long fault_0-9b, fault_1-9b, fault_2-9b, fault_3-9b, fault_4-9b, fault_5-9b, fault_6-9b, fault_7-9b, "
         "fault_8-9b, fault_9-9b\n"
         "fault_0: mov (%rcx), %rax\n"                   /* data  */
         "fault_1: divq zero_word(%rip)\n"               /* pc-relative operand, FPE  */
         "fault_2: ud2\n"                                /* ILL  */
         "fault_3: int3\n"                               /* TRAP  */
         "fault_4: mov $8, %rsp\n  1: call faults\n"     /* push  */
         "fault_5: mov $16, %rsp\n ret\n"                /* pop  */
         "fault_6: jmp *16(%rcx)\n"                      /* load of the target  */
         "fault_7: mov $0x1000, %ecx\n call *%rcx\n"     /* fetch  */
         "fault_8: movabs $0x4141414141414141, %rcx\n push %rcx\n ret\n" /* not canonical  */
         "fault_9: hlt\n");

guint64 recurse (guint64 n);
__asm__ (".text\n"
         "recurse: test %rdi, %rdi\n"
         "  jz 1f\n"
         "  dec %rdi\n"
         "  call recurse\n"
         "  inc %rax\n"
         "1: ret\n");

static void __attribute__ ((noinline))
spin (guint64 n)
{
  volatile guint64 x = n;

  for (;;)
    x += x * 3 + 1;
}

/* Both ways, comparing everything.  */
static TicksResult
compare (gconstpointer func, guint64 arg, const TicksRequest *request, guint rounds)
{
  /* Without ticks a stop that they ask for does not come.  */
  gboolean ticks = request->max_ticks != G_MAXUINT64;
  Task stepped, translated, uncounted;
  TicksResult a, b, c;
  g_autofree TicksBreak *breaks_a = g_memdup2 (request->breaks, request->n_breaks * sizeof (TicksBreak));
  g_autofree TicksBreak *breaks_b = g_memdup2 (request->breaks, request->n_breaks * sizeof (TicksBreak));
  g_autofree TicksBreak *breaks_c = g_memdup2 (request->breaks, request->n_breaks * sizeof (TicksBreak));
  TicksRequest request_a = *request, request_b = *request, request_c = *request;

  request_a.breaks = breaks_a;
  request_b.breaks = breaks_b;
  request_c.breaks = breaks_c;
  request_c.uncounted = !ticks;
  harness_start (&harness, &uncounted, func, arg);
  harness_start (&harness, &stepped, func, arg);
  harness_start (&harness, &translated, func, arg);
  do
    {
      run_or_fail (NULL, &stepped, &request_a, &a);
      run_or_fail (harness.ticks, &translated, &request_b, &b);
      run_or_fail (harness.ticks, &uncounted, &request_c, &c);
      g_assert_cmpint (a.stop, ==, b.stop);
      g_assert_cmpint (a.stop, ==, c.stop);
      g_assert_cmpuint (a.ticks, ==, b.ticks);
      g_assert_cmpuint (a.hit, ==, b.hit);
      g_assert_cmpuint (a.hit, ==, c.hit);
      for (gsize i = 0; i < request->n_breaks; i++)
        {
          g_assert_cmpuint (breaks_a[i].skip, ==, breaks_b[i].skip);
          g_assert_cmpuint (breaks_a[i].skip, ==, breaks_c[i].skip);
        }
      if (a.stop == TICKS_STOP_FAULT)
        {
          g_assert_cmpint (a.siginfo.si_signo, ==, b.siginfo.si_signo);
          g_assert_cmpint (a.siginfo.si_code, ==, b.siginfo.si_code);
          g_assert_cmphex ((gsize) a.siginfo.si_addr, ==, (gsize) b.siginfo.si_addr);
        }
      assert_same_state (&stepped, &translated);
      assert_same_state (&stepped, &uncounted);
    }
  while (--rounds > 0 && a.stop != TICKS_STOP_SYSCALL && a.stop != TICKS_STOP_FAULT);
  task_kill (&stepped);
  task_kill (&translated);
  task_kill (&uncounted);
  return a;
}

static gboolean
is_counter_five (const Task *task, const Regs *regs, gpointer user)
{
  guint64 value = 0;

  g_assert_cmphex (regs->rip, ==, (Addr) loop_body);
  ++*(guint *) user;
  return task_read (task, (Addr) &loop_counter, &value, sizeof value, NULL) && value == 5;
}

static void
test_breaks (void)
{
  TicksBreak breaks[] = { { .pc = (Addr) loop_body, .skip = 3 },
                          { .pc = (Addr) loop_store, .skip = 5 },
                          { .pc = (Addr) loop_body, .skip = 8 },
                          { .pc = (Addr) loop_end } };
  TicksRequest request = { .max_ticks = G_MAXUINT64, .breaks = breaks, .n_breaks = G_N_ELEMENTS (breaks) };

  compare (counter_loop, 12, &request, 40);
  request.break_first = TRUE;
  compare (counter_loop, 12, &request, 20);
  request.max_ticks = 3;
  compare (counter_loop, 12, &request, 40);
  request.max_ticks = 1;
  request.break_first = FALSE;
  compare (counter_loop, 12, &request, 40);
}

static void
test_conditions (void)
{
  guint calls = 0;
  TicksBreak breaks[] = { { .pc = (Addr) loop_body, .condition = is_counter_five, .user = &calls } };
  TicksRequest request = { .max_ticks = G_MAXUINT64, .breaks = breaks, .n_breaks = 1 };

  TicksResult result = compare (counter_loop, 12, &request, 1);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_BREAK);
  g_assert_cmpuint (result.ticks, ==, 7);
  g_assert_cmpuint (calls, ==, 3 * 8);
}

/* Ten million passes with one stop.  */
static void
test_skips (void)
{
  TicksBreak breaks[] = { { .pc = (Addr) loop_body, .skip = 9999999 }, { .pc = (Addr) loop_store, .skip = G_MAXUINT64 } };
  TicksRequest request = { .max_ticks = G_MAXUINT64, .breaks = breaks, .n_breaks = 2 };
  TicksResult result;
  guint64 counter;
  Task task;

  harness_start (&harness, &task, counter_loop, 12000000);
  run_or_fail (harness.ticks, &task, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_BREAK);
  g_assert_cmpuint (result.ticks, ==, 9999999);
  g_assert_cmpuint (breaks[0].skip, ==, 0);
  g_assert_cmpuint (G_MAXUINT64 - breaks[1].skip, ==, 9999999);
  g_assert_true (task_read (&task, (Addr) &loop_counter, &counter, sizeof counter, NULL));
  g_assert_cmpuint (counter, ==, 12000000 - 9999999);
  task_kill (&task);
}

/* More addresses than anyone has debug registers.  */
static void
test_many_breaks (void)
{
  TicksBreak breaks[200];
  TicksRequest request = { .max_ticks = G_MAXUINT64, .breaks = breaks, .n_breaks = G_N_ELEMENTS (breaks) };

  memset (breaks, 0, sizeof breaks);
  for (guint i = 0; i < G_N_ELEMENTS (breaks); i++)
    {
      breaks[i].pc = (Addr) loop_body - 20 + i;
      breaks[i].skip = i % 3;
    }
  compare (counter_loop, 9, &request, 60);
}

/* The point where SKIP more arrivals at PC have passed, as a recorder would
   describe it.  */
static void
make_point (PointId *point, gconstpointer func, guint64 arg, Addr pc, guint64 skip, Addr word)
{
  TicksBreak breaks[] = { { .pc = pc, .skip = skip } };
  TicksRequest request = { .max_ticks = G_MAXUINT64, .breaks = breaks, .n_breaks = 1 };
  TicksResult result;
  Task task;

  memset (point, 0, sizeof *point);
  harness_start (&harness, &task, func, arg);
  run_or_fail (harness.ticks, &task, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_BREAK);
  g_assert_true (task_get_regs (&task, &point->regs, NULL));
  point->regs.eflags &= ~0x10100ull;
  point->regs.orig_rax = 0;
  g_autoptr (GBytes) xstate = task_get_xstate (&task, NULL);
  point->xstate_hash = xstate_hash (xstate);
  if (word != 0)
    {
      point->n_words = 1;
      point->words[0].addr = word;
      g_assert_true (task_read (&task, word, &point->words[0].value, 8, NULL));
    }
  task_kill (&task);
}

static void
test_points (void)
{
  g_autoptr (Space) space = harness_space (&harness);
  PointId point;
  TicksRequest request = { .max_ticks = G_MAXUINT64, .point = &point, .space = space };
  TicksResult result;
  Task task;

  make_point (&point, counter_loop, 12, (Addr) loop_store, 7, (Addr) &loop_counter);
  point.memory_hash = 0;
  harness_start (&harness, &task, counter_loop, 12);
  Regs regs = point.regs;
  point.memory_hash = point_memory_hash (&task, space, &regs);
  task_kill (&task);
  result = compare (counter_loop, 12, &request, 1);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_POINT);
  g_assert_cmpuint (result.ticks, ==, 7);

  /* A million arrivals before it.  */
  make_point (&point, counter_loop, 1000001, (Addr) loop_body, 999990, (Addr) &loop_counter);
  point.memory_hash = point_memory_hash (&harness.template, space, &point.regs);
  harness_start (&harness, &task, counter_loop, 1000001);
  run_or_fail (harness.ticks, &task, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_POINT);
  g_assert_cmpuint (result.ticks, ==, 999990);
  task_kill (&task);

  /* Counted.  */
  make_point (&point, counter_loop, 12, (Addr) loop_body, 7, 0);
  point.memory_hash = point_memory_hash (&harness.template, space, &point.regs);
  point.arrivals = 8;
  result = compare (counter_loop, 12, &request, 1);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_POINT);
  g_assert_cmpuint (result.ticks, ==, 7);
}

/* Such a loop is left for the right turn, not for each: that would take
   more time than the test has.  */
static void
test_vector_points (void)
{
  static const struct
  {
    void (*loop) (void);
    const char *body;
    gboolean avx;
  } loops[] = { { sse_loop, sse_body, FALSE }, { avx_loop, avx_body, TRUE }, { x87_loop, x87_body, FALSE } };
  g_autoptr (Space) space = harness_space (&harness);
  const guint64 turns = 5000000;

  for (guint i = 0; i < G_N_ELEMENTS (loops); i++)
    {
      TicksBreak breaks[] = { { .pc = (Addr) loops[i].body, .skip = turns } };
      TicksRequest request = { .max_ticks = G_MAXUINT64, .breaks = breaks, .n_breaks = 1 };
      g_autoptr (GError) error = NULL;
      TicksResult result;
      Task there, task;

      if (loops[i].avx && !__builtin_cpu_supports ("avx2"))
        continue;
      harness_start (&harness, &there, loops[i].loop, 0);
      run_or_fail (harness.ticks, &there, &request, &result);
      g_assert_cmpint (result.stop, ==, TICKS_STOP_BREAK);
      g_autofree PointId *point = point_describe (&there, space, POINT_PREEMPT, &error);
      g_assert_no_error (error);
      for (guint uncounted = 0; uncounted < 2; uncounted++)
        {
          TicksRequest find
            = { .max_ticks = G_MAXUINT64, .uncounted = uncounted != 0, .point = point, .space = space };

          harness_start (&harness, &task, loops[i].loop, 0);
          run_or_fail (harness.ticks, &task, &find, &result);
          g_assert_cmpint (result.stop, ==, TICKS_STOP_POINT);
          if (!uncounted)
            g_assert_cmpuint (result.ticks, ==, turns);
          assert_same_state (&there, &task);
          task_kill (&task);
        }
      task_kill (&there);
    }
}

/* A point in the middle of a repeated instruction.  */
static void
test_rep_points (void)
{
  g_autoptr (Space) space = harness_space (&harness);
  PointId point;
  TicksRequest request = { .max_ticks = G_MAXUINT64, .point = &point, .space = space };

  make_point (&point, rep_copy, 0, (Addr) rep_insn, 1, 0);
  point.memory_hash = point_memory_hash (&harness.template, space, &point.regs);
  point.regs.rcx -= 77;
  point.regs.rsi += 77;
  point.regs.rdi += 77;
  TicksResult result = compare (rep_copy, 0, &request, 1);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_POINT);
  g_assert_cmpuint (result.ticks, ==, 1);

  /* The same, its arrivals counted.  */
  point.arrivals = 2;
  result = compare (rep_copy, 0, &request, 1);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_POINT);
  g_assert_cmpuint (result.ticks, ==, 1);

  make_point (&point, rep_copy, 0, (Addr) rep_compare, 0, 0);
  point.memory_hash = point_memory_hash (&harness.template, space, &point.regs);
  point.regs.rcx -= 20;
  point.regs.rsi += 40;
  point.regs.rdi += 40;
  result = compare (rep_copy, 0, &request, 1);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_POINT);
  g_assert_cmpuint (result.ticks, ==, 0);
}

static void
test_watches (void)
{
  TicksRequest request = { .max_ticks = G_MAXUINT64,
                           .watches = { { (Addr) &loop_counter, 8, 1 }, { (Addr) &loop_sum, 8, 1 } },
                           .n_watches = 2 };

  TicksResult result = compare (counter_loop, 5, &request, 40);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_SYSCALL);
  request.watches[1].type = 3;
  compare (counter_loop, 5, &request, 40);
  /* The stack: calls and returns touch it.  */
  request.watches[0] = (TicksWatch){ HARNESS_STACK + HARNESS_STACK_SIZE - 4096 - 8, 8, 3 };
  request.watches[1] = (TicksWatch){ HARNESS_STACK + HARNESS_STACK_SIZE - 4096 - 32, 8, 3 };
  compare (recurse, 6, &request, 40);
  request.watches[1].type = 1;
  request.max_ticks = 3;
  compare (recurse, 6, &request, 40);
}

static void
test_faults (gconstpointer data)
{
  TicksRequest request = { .max_ticks = G_MAXUINT64 };

  TicksResult result = compare (faults, GPOINTER_TO_SIZE (data), &request, 1);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_FAULT);
  request.max_ticks = 1;
  compare (faults, GPOINTER_TO_SIZE (data), &request, 3);
}

static void
test_time_limit (void)
{
  TicksRequest request = { .max_ticks = G_MAXUINT64, .max_usec = 3000 };
  TicksResult result;
  Task task, again;
  TickCount ticks = 0;

  harness_start (&harness, &task, spin, 1);
  for (guint i = 0; i < 20; i++)
    {
      run_or_fail (harness.ticks, &task, &request, &result);
      g_assert_cmpint (result.stop, ==, TICKS_STOP_INTERRUPT);
      ticks += result.ticks;
    }
  g_assert_cmpuint (ticks, >, 0);
  /* The same place by count.  */
  harness_start (&harness, &again, spin, 1);
  request.max_ticks = ticks;
  request.max_usec = 0;
  run_or_fail (harness.ticks, &again, &request, &result);
  Regs regs = { 0 };
  g_assert_true (task_get_regs (&task, &regs, NULL));
  TicksBreak here = { .pc = regs.rip };
  request = (TicksRequest){ .max_ticks = 1, .breaks = &here, .n_breaks = 1, .break_first = TRUE };
  run_or_fail (NULL, &again, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_BREAK);
  assert_same_state (&task, &again);
  task_kill (&task);
  task_kill (&again);
}

static gboolean
count_call (const Task *task, const Regs *regs, gpointer user)
{
  (void) task;
  (void) regs;
  ++*(guint *) user;
  return FALSE;
}

/* Interrupted anywhere and gone on: each arrival counts once.  */
static void
test_interrupted_counts (gconstpointer data)
{
  const guint n = 20000;
  Ticks *ticks = GPOINTER_TO_INT (data) ? harness.ticks : NULL;
  guint calls = 0, interrupts = 0;
  TicksBreak breaks[] = { { .pc = (Addr) loop_body, .condition = count_call, .user = &calls },
                          { .pc = (Addr) loop_store, .skip = G_MAXUINT64 } };
  TicksRequest request = { .max_ticks = G_MAXUINT64, .max_usec = 400, .breaks = breaks, .n_breaks = 2 };
  TicksResult result;
  Task task;

  harness_start (&harness, &task, counter_loop, ticks != NULL ? n : n / 40);
  do
    {
      run_or_fail (ticks, &task, &request, &result);
      interrupts += result.stop == TICKS_STOP_INTERRUPT;
      request.break_first = TRUE;
    }
  while (result.stop == TICKS_STOP_INTERRUPT);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_SYSCALL);
  g_assert_cmpuint (interrupts, >, 0);
  g_assert_cmpuint (calls, ==, ticks != NULL ? n : n / 40);
  g_assert_cmpuint (G_MAXUINT64 - breaks[1].skip, ==, ticks != NULL ? n : n / 40);
  task_kill (&task);
}

static void
on_signal (int sig)
{
  (void) sig;
  ticks_interrupt ();
}

static void
test_interrupt (void)
{
  TicksRequest request = { .max_ticks = G_MAXUINT64 };
  TicksResult result;
  Task task;

  harness_start (&harness, &task, spin, 1);
  signal (SIGUSR1, on_signal);
  pid_t pid = fork ();
  if (pid == 0)
    {
      usleep (20000); /* anywhere inside the run; also before it starts is told by the loop below  */
      for (;;)
        {
          kill (getppid (), SIGUSR1);
          usleep (5000);
        }
    }
  run_or_fail (harness.ticks, &task, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_INTERRUPT);
  run_or_fail (NULL, &task, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_INTERRUPT);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  task_kill (&task);
}

static void
test_deep_recursion (void)
{
  TicksRequest request = { .max_ticks = G_MAXUINT64 };
  TicksResult result;
  Regs regs = { 0 };
  Task task;

  harness_start (&harness, &task, recurse, 1000000);
  run_or_fail (harness.ticks, &task, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_SYSCALL);
  g_assert_cmpuint (result.ticks, ==, 3000002);
  g_assert_true (task_get_regs (&task, &regs, NULL));
  g_assert_cmpuint (regs.rax, ==, 1000000);
  task_kill (&task);
}

static void
test_zero_ticks (void)
{
  TicksBreak breaks[] = { { .pc = (Addr) counter_loop, .skip = 2 } };
  TicksRequest request = { .breaks = breaks, .n_breaks = 1, .break_first = TRUE };

  TicksResult result = compare (counter_loop, 1, &request, 1);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_TICKS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  harness_init (&harness);
  g_test_add_func ("/ticks/stops/zero", test_zero_ticks);
  g_test_add_func ("/ticks/stops/breaks", test_breaks);
  g_test_add_func ("/ticks/stops/conditions", test_conditions);
  g_test_add_func ("/ticks/stops/skips", test_skips);
  g_test_add_func ("/ticks/stops/many-breaks", test_many_breaks);
  g_test_add_func ("/ticks/stops/points", test_points);
  g_test_add_func ("/ticks/stops/vector-points", test_vector_points);
  g_test_add_func ("/ticks/stops/rep-points", test_rep_points);
  g_test_add_func ("/ticks/stops/watches", test_watches);
  for (gsize i = 0; i < 10; i++)
    {
      g_autofree char *name = g_strdup_printf ("/ticks/stops/fault-%zu", i);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_faults);
    }
  g_test_add_func ("/ticks/stops/time-limit", test_time_limit);
  g_test_add_func ("/ticks/stops/interrupt", test_interrupt);
  g_test_add_data_func ("/ticks/stops/interrupted-counts", GINT_TO_POINTER (1), test_interrupted_counts);
  g_test_add_data_func ("/ticks/stops/interrupted-counts-stepped", GINT_TO_POINTER (0), test_interrupted_counts);
  g_test_add_func ("/ticks/stops/deep-recursion", test_deep_recursion);
  int status = g_test_run ();
  harness_clear (&harness);
  return status;
}
