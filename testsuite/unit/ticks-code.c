/* Code that changes: under the program's own hands, under the helper's, and
   from one moment of history to another.  */

#include "ticks-harness.h"

static Harness harness;

#define CODE_PAGE 0x6d0000000000ul
#define RX_PAGE 0x6d0000100000ul

/* Copies CODE to where it is told and calls it.  */
static guint64 __attribute__ ((noinline))
make_and_call (guint8 *at, const guint8 *code, guint n, guint64 arg)
{
  for (guint i = 0; i < n; i++)
    at[i] = code[i];
  return ((guint64 (*) (guint64)) (gsize) at) (arg);
}

static const guint8 add_7[] = { 0x48, 0x8d, 0x47, 0x07, 0xc3 };     /* lea 7(%rdi),%rax; ret  */
static const guint8 add_9[] = { 0x48, 0x8d, 0x47, 0x09, 0xc3 };
static const guint8 shift_2[] = { 0x48, 0x89, 0xf8, 0x48, 0xc1, 0xe0, 0x02, 0xc3 };

static guint64 __attribute__ ((noinline))
jit (guint64 n)
{
  guint8 *at = (guint8 *) CODE_PAGE;
  guint64 x = 0;

  for (guint64 i = 0; i < n; i++)
    {
      x += make_and_call (at, add_7, sizeof add_7, x);
      x += make_and_call (at + 4090, shift_2, sizeof shift_2, x); /* across two pages  */
      x ^= make_and_call (at, add_9, sizeof add_9, x);
      x += make_and_call (at + 4090, add_7, sizeof add_7, x);
    }
  return x;
}

/* Instructions that change the very next instruction: each
   "movb $N, 1f+1(%rip); 1: mov $0, %al" must load N.  */
extern const guint8 changing[], changing_end[];
__asm__ (".text\n"
         "changing:\n"
         "  xor %eax, %eax\n"
         "  xor %edx, %edx\n"
         "  mov $5, %ecx\n"
         "2: movb %cl, 1f+1(%rip)\n"
         "1: mov $0, %al\n"
         "  add %rax, %rdx\n"
         "  lea 3f(%rip), %r8\n"
         "  movl $0xc2ff4890, (%r8)\n" /* nop; inc %rdx  */
         "  xorl $0x90909090, -4(%rsp)\n"
         "3: .byte 0x90, 0x90, 0x90, 0x90\n"
         "  movl $0x90909090, (%r8)\n"
         "  dec %ecx\n"
         "  jnz 2b\n"
         "  mov %rdx, %rax\n"
         "  ret\n"
         "changing_end:\n");

static guint64 __attribute__ ((noinline))
self_change (guint64 n)
{
  guint64 x = 0;

  for (guint64 i = 0; i < n; i++)
    x = x * 31 + make_and_call ((guint8 *) CODE_PAGE + 64, changing, (guint) (changing_end - changing), 0);
  return x;
}

/* Two views of one memory: written here, executed there.  */
#define VIEW_W 0x6d0000200000ul
#define VIEW_X 0x6d0000300000ul

static guint64 __attribute__ ((noinline))
two_views (guint64 n)
{
  volatile guint8 *at = (guint8 *) VIEW_W;
  guint64 x = 0;

  for (guint64 i = 0; i < n; i++)
    {
      at[3] = (guint8) i; /* lea N(%rdi), %rax  */
      x = x * 3 + ((guint64 (*) (guint64)) VIEW_X) (i);
    }
  return x;
}

static void
test_two_views (gconstpointer with_space)
{
  g_autoptr (Space) space = with_space != NULL ? harness_space (&harness) : NULL;
  guint64 right = two_views (1000);

  for (guint i = 0; space != NULL && i < space->maps->len; i++)
    if (g_array_index (space->maps, Mapping, i).start == VIEW_X)
      g_array_index (space->maps, Mapping, i).flags |= MAP_ALIAS_;
  for (guint uncounted = 0; uncounted < 2; uncounted++)
    {
      TicksRequest request = { .max_ticks = G_MAXUINT64, .uncounted = uncounted != 0, .space = space };
      Regs regs = { 0 };
      TicksResult result;
      Task task;

      harness_start (&harness, &task, two_views, 1000);
      run_or_fail (harness.ticks, &task, &request, &result);
      g_assert_cmpint (result.stop, ==, TICKS_STOP_SYSCALL);
      g_assert_true (task_get_regs (&task, &regs, NULL));
      g_assert_cmphex (regs.rax, ==, right);
      task_kill (&task);
    }
}

static void
map_views (void)
{
  int fd = memfd_create ("views", MFD_CLOEXEC);

  g_assert_cmpint (ftruncate (fd, 4096), ==, 0);
  g_assert_true (mmap ((void *) VIEW_W, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
  g_assert_true (mmap ((void *) VIEW_X, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
  memcpy ((void *) VIEW_W, add_7, sizeof add_7);
  close (fd);
}

static void
test_jit (gconstpointer func)
{
  TicksRequest request = { .max_ticks = 40 };
  Task stepped, translated;
  TicksResult a, b;

  harness_start (&harness, &stepped, func, 4);
  harness_start (&harness, &translated, func, 4);
  do
    {
      run_or_fail (NULL, &stepped, &request, &a);
      run_or_fail (harness.ticks, &translated, &request, &b);
      g_assert_cmpint (a.stop, ==, b.stop);
      g_assert_cmpuint (a.ticks, ==, b.ticks);
      assert_same_state (&stepped, &translated);
    }
  while (a.stop == TICKS_STOP_TICKS);
  g_assert_cmpint (a.stop, ==, TICKS_STOP_SYSCALL);
  task_kill (&stepped);
  task_kill (&translated);
  harness_start (&harness, &translated, func, 20000);
  request.max_ticks = G_MAXUINT64;
  run_or_fail (harness.ticks, &translated, &request, &b);
  g_assert_cmpint (b.stop, ==, TICKS_STOP_SYSCALL);
  Regs regs = { 0 };
  g_assert_true (task_get_regs (&translated, &regs, NULL));
  g_assert_cmpuint (regs.rax, ==, ((guint64 (*) (guint64)) (gsize) func) (20000));
  task_kill (&translated);
}

static guint64
run_at (Task *task, Addr pc, guint64 arg, const Space *space)
{
  TicksRequest request = { .max_ticks = G_MAXUINT64, .space = space };
  Addr back = (Addr) harness_return;
  TicksResult result;
  Regs regs = { 0 };

  g_assert_true (task_get_regs (task, &regs, NULL));
  regs.rip = pc;
  regs.rdi = arg;
  regs.rsp = HARNESS_STACK + 0x10000;
  g_assert_true (task_write (task, regs.rsp, &back, sizeof back, NULL));
  g_assert_true (task_set_regs (task, &regs, NULL));
  run_or_fail (harness.ticks, task, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_SYSCALL);
  g_assert_cmpuint (result.ticks, ==, 1);
  g_assert_true (task_get_regs (task, &regs, NULL));
  return regs.rax;
}

/* Two copies with different code at one address, which is not writable;
   and code that the helper changes between runs.  */
static void
test_copies (gconstpointer data)
{
  g_autoptr (Space) space = data != NULL ? harness_space (&harness) : NULL;
  Task one, two;

  harness_start (&harness, &one, jit, 0);
  harness_start (&harness, &two, jit, 0);
  g_assert_true (task_write (&one, RX_PAGE, add_7, sizeof add_7, NULL));
  g_assert_true (task_write (&two, RX_PAGE, add_9, sizeof add_9, NULL));
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpuint (run_at (&one, RX_PAGE, i, space), ==, i + 7);
      g_assert_cmpuint (run_at (&two, RX_PAGE, i, space), ==, i + 9);
    }
  g_assert_true (task_write (&one, RX_PAGE, shift_2, sizeof shift_2, NULL));
  g_assert_cmpuint (run_at (&one, RX_PAGE, 10, space), ==, 40);
  g_assert_cmpuint (run_at (&two, RX_PAGE, 10, space), ==, 19);
  task_kill (&one);
  task_kill (&two);
}

/* A page of the program's file, written by the debugger in one copy.  */
static void
test_poked_file (void)
{
  Addr pc = (Addr) jit;
  Task one, two;
  guint8 saved[16];

  /* The address of a function that nobody runs here.  */
  pc = (Addr) test_jit;
  harness_start (&harness, &one, jit, 0);
  harness_start (&harness, &two, jit, 0);
  g_assert_true (task_read (&one, pc, saved, sizeof saved, NULL));
  g_assert_true (task_write (&one, pc, add_7, sizeof add_7, NULL));
  g_assert_true (task_write (&two, pc, add_9, sizeof add_9, NULL));
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpuint (run_at (&one, pc, i, NULL), ==, i + 7);
      g_assert_cmpuint (run_at (&two, pc, i, NULL), ==, i + 9);
    }
  task_kill (&one);
  task_kill (&two);
}

/* ticks_forget and ticks_flush are harmless at any time.  */
static void
test_forget (void)
{
  Task task;

  harness_start (&harness, &task, jit, 0);
  g_assert_true (task_write (&task, RX_PAGE, add_7, sizeof add_7, NULL));
  g_assert_cmpuint (run_at (&task, RX_PAGE, 1, NULL), ==, 8);
  ticks_forget (harness.ticks, RX_PAGE, RX_PAGE + 4096);
  g_assert_cmpuint (run_at (&task, RX_PAGE, 1, NULL), ==, 8);
  ticks_flush (harness.ticks);
  g_assert_cmpuint (run_at (&task, RX_PAGE, 1, NULL), ==, 8);
  task_kill (&task);
}

/* Memory that may not be executed is not.  */
static void
test_no_exec (void)
{
  TicksRequest request = { .max_ticks = G_MAXUINT64 };
  TicksResult result;
  Regs regs = { 0 };
  Task task;

  harness_start (&harness, &task, jit, 0);
  g_assert_true (task_get_regs (&task, &regs, NULL));
  regs.rip = HARNESS_STACK;
  g_assert_true (task_write (&task, regs.rip, add_7, sizeof add_7, NULL));
  g_assert_true (task_set_regs (&task, &regs, NULL));
  run_or_fail (harness.ticks, &task, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_FAULT);
  g_assert_cmphex ((Addr) result.siginfo.si_addr, ==, HARNESS_STACK);
  task_kill (&task);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_true (mmap ((void *) CODE_PAGE, 0x2000, PROT_READ | PROT_WRITE | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                 != MAP_FAILED);
  g_assert_true (mmap ((void *) RX_PAGE, 0x2000, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                 != MAP_FAILED);
  map_views ();
  harness_init (&harness);
  g_test_add_data_func ("/ticks/code/jit", jit, test_jit);
  g_test_add_data_func ("/ticks/code/self-change", self_change, test_jit);
  g_test_add_data_func ("/ticks/code/two-views", NULL, test_two_views);
  g_test_add_data_func ("/ticks/code/two-views-space", "", test_two_views);
  g_test_add_data_func ("/ticks/code/copies", NULL, test_copies);
  g_test_add_data_func ("/ticks/code/copies-space", "", test_copies);
  g_test_add_func ("/ticks/code/poked-file", test_poked_file);
  g_test_add_func ("/ticks/code/forget", test_forget);
  g_test_add_func ("/ticks/code/no-exec", test_no_exec);
  int status = g_test_run ();
  harness_clear (&harness);
  return status;
}
