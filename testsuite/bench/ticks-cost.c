/* What the code cache costs, measured without a debugger around it; printed
   as "NAME SECONDS..." for testsuite/bench/ticks:

     branchy, straight, calls   natively, counted, uncounted (the least of some)
     blocks N                   to translate and run N blocks for the first time

   The functions run in a traced child, as all of ticks does.  */

#include "unit/ticks-harness.h"

#include <stdlib.h>

enum
{
  BLOCKS = 20000,
  ROUNDS = 5
};

static Harness harness;

/* As testsuite/bench/compute.c.  */
static guint64 __attribute__ ((noinline))
branchy (guint64 n)
{
  guint64 x = 88172645463325252, odd = 0;

  for (guint64 i = 0; i < n; i++)
    {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      if (x & 1)
        odd++;
      else if (x % 3 == 0)
        odd--;
    }
  return odd;
}

/* Forty instructions for each branch.  */
static guint64 __attribute__ ((noinline))
straight (guint64 n)
{
  guint64 a = 1, b = 2, c = 3, d = 4;

  for (guint64 i = 0; i < n; i++)
    {
#define STEP                                                                                                           \
  a += b << 3 ^ i;                                                                                                     \
  b ^= c * 5;                                                                                                          \
  c += d >> 2;                                                                                                         \
  d ^= a;
      STEP STEP STEP STEP
    }
  return a ^ b ^ c ^ d;
}

static guint64 __attribute__ ((noinline))
calls (guint64 n)
{
  return n < 2 ? n : calls (n - 1) + calls (n - 2);
}

static const struct
{
  const char *name;
  guint64 (*func) (guint64);
  guint64 arg;
} functions[] = { { "branchy", branchy, 60000000 }, { "straight", straight, 20000000 }, { "calls", calls, 35 } };

static void
note_least (double *least, double seconds)
{
  *least = seconds < *least ? seconds : *least;
}

static double
since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / 1e6;
}

static double
run_natively (gconstpointer func, guint64 arg)
{
  g_autoptr (GError) error = NULL;
  int status;
  Task task;

  harness_start (&harness, &task, func, arg);
  gint64 start = g_get_monotonic_time ();
  /* It ends at a system call.  */
  g_assert_true (task_resume (&task, PTRACE_SYSEMU, 0, &error));
  g_assert_true (task_wait (&task, &status, &error));
  double seconds = since (start);
  task_kill (&task);
  return seconds;
}

static double
run_in_cache (gconstpointer func, guint64 arg, gboolean uncounted)
{
  TicksRequest request = { .max_ticks = G_MAXUINT64, .uncounted = uncounted };
  TicksResult result;
  Task task;

  harness_start (&harness, &task, func, arg);
  gint64 start = g_get_monotonic_time ();
  run_or_fail (harness.ticks, &task, &request, &result);
  double seconds = since (start);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_SYSCALL);
  task_kill (&task);
  return seconds;
}

static void
measure (guint which)
{
  double native = 1e9, counted = 1e9, uncounted = 1e9;
  gconstpointer func = functions[which].func;
  guint64 arg = functions[which].arg;

  for (guint i = 0; i < ROUNDS; i++)
    {
      note_least (&native, run_natively (func, arg));
      note_least (&counted, run_in_cache (func, arg, FALSE));
      note_least (&uncounted, run_in_cache (func, arg, TRUE));
    }
  printf ("%s %f %f %f\n", functions[which].name, native, counted, uncounted);
}

/* Blocks of seven instructions, each of which runs once.  */
static guint8 *
make_blocks (void)
{
  static const guint8 block[] = {
    0x48, 0x89, 0xf8,       /* mov %rdi, %rax  */
    0x48, 0x83, 0xc0, 0x07, /* add $7, %rax  */
    0x48, 0x8d, 0x54, 0x07, 0x10, /* lea 16(%rdi,%rax), %rdx  */
    0x48, 0x31, 0xd0,       /* xor %rdx, %rax  */
    0x48, 0xff, 0xc6,       /* inc %rsi  */
    0x48, 0x85, 0xf6,       /* test %rsi, %rsi  */
    0x74, 0x00,             /* je to the next  */
  };
  guint8 *code = mmap (NULL, BLOCKS * sizeof block + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  g_assert_true (code != MAP_FAILED);
  for (guint i = 0; i < BLOCKS; i++)
    memcpy (code + i * sizeof block, block, sizeof block);
  code[BLOCKS * sizeof block] = 0xc3;
  mprotect (code, BLOCKS * sizeof block + 1, PROT_READ | PROT_EXEC);
  return code;
}

int
main (void)
{
  guint8 *blocks = make_blocks ();

  harness_init (&harness);
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    measure (i);
  double least = 1e9;
  for (guint i = 0; i < ROUNDS; i++)
    {
      ticks_flush (harness.ticks);
      note_least (&least, run_in_cache (blocks, 0, FALSE));
    }
  printf ("blocks %d %f\n", BLOCKS, least);
  harness_clear (&harness);
  return 0;
}
