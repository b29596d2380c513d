/* The checks of registers and extended state that events carry.  */

#include "log-random.h"

static void
test_regs_check (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  Regs regs, other;
  guint32 check, call_check;

  random_regs (rand, &regs);
  check = regs_check (&regs, FALSE);
  call_check = regs_check (&regs, TRUE);

#define EXPECT(FIELD, SEEN, SEEN_AT_CALL)                                                                    \
  other = regs;                                                                                              \
  other.FIELD ^= 1;                                                                                          \
  g_assert_cmpint (regs_check (&other, FALSE) != check, ==, SEEN);                                           \
  g_assert_cmpint (regs_check (&other, TRUE) != call_check, ==, SEEN_AT_CALL)
  EXPECT (rdi, TRUE, TRUE);
  EXPECT (rip, TRUE, TRUE);
  EXPECT (rsp, TRUE, TRUE);
  EXPECT (eflags, TRUE, TRUE);
  EXPECT (fs_base, TRUE, TRUE);
  EXPECT (gs_base, TRUE, TRUE);
  EXPECT (rax, TRUE, FALSE);
  EXPECT (rcx, TRUE, FALSE);
  EXPECT (r11, TRUE, FALSE);
  EXPECT (orig_rax, FALSE, FALSE);
#undef EXPECT
  other = regs;
  other.eflags ^= 0x10100;
  g_assert_cmpuint (regs_check (&other, FALSE), ==, check);
  other = regs;
  other.rsi = regs.rdi;
  other.rdi = regs.rsi;
  g_assert_cmpuint (regs_check (&other, FALSE), !=, check);
}

#define XSTATE_SIZE 832

static guint32
hash_of (const guint8 *image)
{
  g_autoptr (GBytes) bytes = g_bytes_new (image, XSTATE_SIZE);

  return xstate_hash (bytes);
}

static void
test_xstate_hash (void)
{
  guint8 stored[XSTATE_SIZE] = { 0x7f, 0x03 }, left_out[XSTATE_SIZE], other[XSTATE_SIZE];
  guint32 init;

  stored[24] = 0x80;
  stored[25] = 0x1f;
  memcpy (left_out, stored, sizeof stored);
  stored[512] = 7;
  init = hash_of (stored);
  g_assert_cmpuint (hash_of (left_out), ==, init);

  /* Contents of components that are left out do not count.  */
  left_out[0] = 0;
  left_out[160] = 0xaa;
  left_out[576] = 0xaa;
  g_assert_cmpuint (hash_of (left_out), ==, init);

#define EXPECT(OFFSET, SEEN)                                                                                 \
  memcpy (other, stored, sizeof other);                                                                      \
  other[OFFSET] ^= 1;                                                                                        \
  g_assert_cmpint (hash_of (other) != init, ==, SEEN)
  EXPECT (0, TRUE);    /* FCW  */
  EXPECT (4, TRUE);    /* FTW  */
  EXPECT (32, TRUE);   /* st0  */
  EXPECT (41, TRUE);   /* its last byte  */
  EXPECT (42, FALSE);  /* reserved  */
  EXPECT (24, TRUE);   /* MXCSR  */
  EXPECT (160, TRUE);  /* xmm0  */
  EXPECT (415, TRUE);  /* xmm15  */
  EXPECT (6, FALSE);   /* FOP  */
  EXPECT (8, FALSE);   /* FIP  */
  EXPECT (16, FALSE);  /* FDP  */
  EXPECT (470, FALSE); /* software's  */
  if (__builtin_cpu_supports ("avx"))
    {
      EXPECT (576, TRUE); /* ymm0, upper half  */
    }
#undef EXPECT
  left_out[24] ^= 0x40; /* MXCSR counts without SSE, too  */
  g_assert_cmpuint (hash_of (left_out), !=, init);
}

int
main (int argc, char **argv)
{
  static const LogTest tests[] = {
    { "/check/regs", test_regs_check },
    { "/check/xstate", test_xstate_hash },
  };

  return run_log_tests (argc, argv, tests, G_N_ELEMENTS (tests));
}
