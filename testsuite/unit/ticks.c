/* Translation against single steps: counts, stops and final states of
   small functions that use what is hard to translate.  */

#include "ticks-harness.h"

#include <stdlib.h>
#include <string.h>

static Harness harness;

/* Functions under test.  */

static guint64 __attribute__ ((noinline))
fib (guint64 n)
{
  return n < 2 ? n : fib (n - 1) + fib (n - 2);
}

static guint64 table[64];

static guint64 __attribute__ ((noinline))
sort (guint64 seed)
{
  for (guint i = 0; i < 64; i++)
    table[i] = seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  for (guint i = 0; i < 64; i++)
    for (guint j = i + 1; j < 64; j++)
      if (table[j] < table[i])
        {
          guint64 t = table[i];
          table[i] = table[j];
          table[j] = t;
        }
  return table[10];
}

static guint64 add_one (guint64 x) { return x + 1; }
static guint64 times_three (guint64 x) { return x * 3; }
static guint64 (*volatile funcs[2]) (guint64) = { add_one, times_three };

static guint64 __attribute__ ((noinline))
indirect (guint64 n)
{
  guint64 x = 1;

  for (guint64 i = 0; i < n; i++)
    {
      x = funcs[x >> 3 & 1](x);
      switch (x & 7)
        {
        case 0: x += 11; break;
        case 1: x ^= 5; break;
        case 2: x += i; break;
        case 3: x -= 2; break;
        case 4: x <<= 1; break;
        case 5: x *= 5; break;
        case 6: x = ~x; break;
        }
    }
  return x;
}

static char text[4096], text2[4096];

static guint64 __attribute__ ((noinline))
strings (guint64 n)
{
  memset (text, 'a', n);
  memcpy (text2, text, n);
  text2[n / 2] = 'b';
  return (guint64) memcmp (text, text2, n) + strlen (text2) + (guint64) (strchr (text2, 'b') - text2);
}

static double doubles[32];

static guint64 __attribute__ ((noinline))
floating (guint64 n)
{
  long double x = 1;

  for (guint64 i = 1; i < n; i++)
    {
      x = x * 1.25L / (long double) i + 2;
      doubles[i % 32] += (double) x;
    }
  return (guint64) (x * 1000) + (guint64) doubles[3];
}

guint64 odd_transfers (guint64 n);
__asm__ (".text\n"
         "odd_transfers:\n"
         "  mov %rdi, %rcx\n"
         "  xor %eax, %eax\n"
         "1: add $3, %rax\n"
         "  stc\n"
         "  mov %rax, -8(%rsp)\n" /* red zone  */
         "  loop 1b\n"
         "  adc $0, %rax\n"
         "  jrcxz 2f\n"
         "  ud2\n"
         "2: mov $7, %ecx\n"
         "  std\n"
         "  cld\n"
         "  jecxz 3f\n"
         "3: pushf\n"
         "  popf\n"
         "  pushf\n"
         "  pop %rdx\n"
         "  add -8(%rsp), %rax\n"
         "  lea 4f(%rip), %rdx\n"
         "  push %rdx\n"
         "  ret\n"
         "4: lea 5f(%rip), %rdx\n"
         "  push %rdx\n"
         "  ret $0\n"
         "5: call 6f\n"
         "6: pop %rsi\n"
         "  sub %rdx, %rsi\n"
         "  lea 7f(%rip), %rcx\n"
         "  push %rcx\n"
         "  jmp *(%rsp)\n"
         "7: pop %rcx\n"
         "  incq odd_memory(%rip)\n"
         "  mov odd_memory(%rip), %rcx\n"
         "  mov odd_memory(%rip), %r12\n"
         "  cmpxchg %rcx, odd_memory(%rip)\n"
         "  lock xadd %rcx, odd_memory(%rip)\n"
         "  movzbl odd_memory(%rip), %ebx\n"
         "  push odd_memory(%rip)\n"
         "  popq odd_memory+8(%rip)\n"
         "  vmovdqu odd_memory(%rip), %xmm15\n"
         "  vpaddd odd_memory(%rip), %ymm15, %ymm9\n"
         "  mov $2, %ecx\n"
         "  lea odd_memory(%rip), %rsi\n"
         "  lea odd_memory+32(%rip), %rdi\n"
         "  rep movsq\n"
         "  lea odd_call(%rip), %rcx\n"
         "  call *%rcx\n"
         "  call *odd_pointer(%rip)\n"
         "  sub $8, %rsp\n"
         "  mov %rcx, (%rsp)\n"
         "  call *(%rsp)\n"
         "  add $8, %rsp\n"
         "  mov $16, %edx\n"
         "  lea odd_pointer-16(%rip), %rcx\n"
         "  call *(%rcx,%rdx)\n"
         "  fld1\n fldpi\n faddp\n fistpl odd_memory(%rip)\n"
         "  sub $32, %rsp\n fnstenv (%rsp)\n fldenv (%rsp)\n"
         /* Whether the processor keeps the x87 pointers is its own affair.  */
         "  movq $0, 12(%rsp)\n movq $0, 20(%rsp)\n add $32, %rsp\n"
         "  cpuid\n"
         "  xor %eax, %eax\n"
         "  ret\n"
         "odd_call: lea 1(%rax), %rax\n"
         "  ret\n"
         ".data\n.balign 32\nodd_memory: .quad 5,6,7,8,9,10,11,12\nodd_pointer: .quad odd_call\n.text\n");

/* Transfers by iret and far ret, to code that stands on another stack and
   uses the red zone there; flags that must survive every transfer.  */
guint64 far_transfers (guint64 n);
static char other_stack[4096] __attribute__ ((used, aligned (16)));
__asm__ (".text\n"
         "far_transfers:\n"
         "  xor %r11d, %r11d\n"
         "1: mov %rsp, %r9\n"
         "  mov %ss, %eax\n  push %rax\n  push %r9\n  pushfq\n"
         "  mov %cs, %eax\n  push %rax\n"
         "  lea 2f(%rip), %rax\n  push %rax\n"
         "  iretq\n"
         "  ud2\n"
         "2: mov %cs, %eax\n  push %rax\n"
         "  lea 3f(%rip), %rax\n  push %rax\n"
         "  lretq\n"
         "  ud2\n"
         "3: lea other_stack+2048(%rip), %r10\n"
         "  xchg %rsp, %r10\n"
         "  mov %rdi, -8(%rsp)\n  mov %r10, -128(%rsp)\n"
         "  mov $0xd5, %ah\n"
         "  sahf\n"
         "  jmp 4f\n"
         "4: jc 5f\n"
         "  ud2\n"
         "5: lea -136(%rsp), %rsp\n"
         "  call 6f\n"
         "  jmp 7f\n"
         "6: jnz 8f\n"
         "  ret\n"
         "7: lahf\n"
         "  lea 136(%rsp), %rsp\n"
         "  add -8(%rsp), %r11\n"
         "  xchg %r10, %rsp\n"
         "  dec %rdi\n"
         "  jnz 1b\n"
         "8: mov %r11, %rax\n"
         "  ret\n");

/* Registers, masks and pc-relative operands of AVX-512.  */
guint64 avx512 (guint64 n);
static guint64 wide[16] __attribute__ ((used, aligned (64))) = { 1, 2, 3, 4, 5, 6, 7, 8 };
__asm__ (".text\n"
         "avx512:\n"
         "  mov $0x5a, %eax\n"
         "  kmovw %eax, %k3\n"
         "  vpternlogd $0xff, %zmm20, %zmm20, %zmm20\n"
         "1: vmovdqu64 wide(%rip), %zmm31{%k3}{z}\n"
         "  vpaddq wide+8(%rip){1to8}, %zmm31, %zmm17\n"
         "  vpsubq %zmm20, %zmm17, %zmm17\n"
         "  vpcmpuq $1, wide(%rip), %zmm17, %k2\n"
         "  kortestw %k2, %k2\n"
         "  jz 2f\n"
         "  vmovdqu64 %zmm17, wide+64(%rip){%k2}\n"
         "2: vmovdqu64 %zmm17, wide(%rip)\n"
         "  vpcompressq %zmm17, %zmm5{%k3}\n"
         "  dec %rdi\n"
         "  jnz 1b\n"
         "  kmovw %k2, %eax\n"
         "  ret\n");

typedef struct
{
  const char *name;
  gconstpointer func;
  guint64 arg;
} Case;

static const Case cases[] = {
  { "fib", fib, 9 },           { "sort", sort, 42 },         { "indirect", indirect, 200 },
  { "strings", strings, 300 }, { "floating", floating, 40 }, { "odd_transfers", odd_transfers, 9 },
  { "far_transfers", far_transfers, 5 }, { "avx512", avx512, 20 },
};

/* Run without counting, to the end, the same as STEPPED.  */
static void
compare_uncounted (const Case *c, const Task *stepped)
{
  TicksRequest request = { .uncounted = TRUE };
  TicksResult result;
  Task task;

  harness_start (&harness, &task, c->func, c->arg);
  run_or_fail (harness.ticks, &task, &request, &result);
  g_assert_cmpint (result.stop, ==, TICKS_STOP_SYSCALL);
  assert_same_state (stepped, &task);
  task_kill (&task);
}

/* Both ways with REQUEST, until the end; in pieces of REQUEST.max_ticks.  */
static void
compare_runs (const Case *c, TickCount piece)
{
  Task stepped, translated;
  TickCount total = 0;

  harness_start (&harness, &stepped, c->func, c->arg);
  harness_start (&harness, &translated, c->func, c->arg);
  for (;;)
    {
      TicksRequest request = { .max_ticks = piece };
      TicksResult a, b;

      run_or_fail (NULL, &stepped, &request, &a);
      run_or_fail (harness.ticks, &translated, &request, &b);
      g_assert_cmpint (a.stop, ==, b.stop);
      g_assert_cmpuint (a.ticks, ==, b.ticks);
      assert_same_state (&stepped, &translated);
      total += a.ticks;
      if (a.stop != TICKS_STOP_TICKS)
        {
          g_assert_cmpint (a.stop, ==, TICKS_STOP_SYSCALL);
          break;
        }
    }
  g_test_message ("%s: %" G_GUINT64_FORMAT " ticks", c->name, total);
  compare_uncounted (c, &stepped);
  task_kill (&stepped);
  task_kill (&translated);
}

static void
test_whole (gconstpointer data)
{
  compare_runs (data, G_MAXUINT64);
}

static void
test_pieces (gconstpointer data)
{
  compare_runs (data, 7);
  compare_runs (data, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  harness_init (&harness);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *whole = g_strdup_printf ("/ticks/whole/%s", cases[i].name);
      g_autofree char *pieces = g_strdup_printf ("/ticks/pieces/%s", cases[i].name);

      if (cases[i].func == avx512 && !(__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq")))
        continue;

      g_test_add_data_func (whole, &cases[i], test_whole);
      g_test_add_data_func (pieces, &cases[i], test_pieces);
    }
  int status = g_test_run ();
  harness_clear (&harness);
  return status;
}
