/* Random programs, executed natively, translated, and translated without
   counting: all registers, flags, extended state, memory, and the way they
   end must be equal; for some of them the count of ticks, against single
   steps.

   An instruction begins as random bytes that Zydis can decode; its memory
   operand is then replaced by one that is sure to be mapped (pc-relative or
   through a register) with Zydis's encoder.  It is tried alone in a task of
   its own, and those that fault are mostly dropped, so that programs get
   far.  Between such instructions come all kinds of control transfers.

   --seed=... repeats a run; RETRO_FUZZ=N makes N times as many programs.  */

#include "ticks-harness.h"

#include "ticks/insn.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>

#define DATA_SIZE 0x2000u
#define STACK_TOP (HARNESS_STACK + HARNESS_STACK_SIZE - 0x8000)
#define CODE_MAX 0x1000u
#define MAX_ITEMS 40

/* Where a program may live: far, near address zero, far and writable, far
   across a page boundary.  */
static const struct
{
  Addr code, data;
  int prot;
} places[] = {
  { 0x6d0000000000, 0x6d0000010000, PROT_READ | PROT_EXEC },
  { 0x30000000, 0x30010000, PROT_READ | PROT_EXEC },
  { 0x6d1000000000, 0x6d1000010000, PROT_READ | PROT_WRITE | PROT_EXEC },
  { 0x6d2000000fe0, 0x6d2000010000, PROT_READ | PROT_EXEC },
};

static Harness harness;
static Task native, translated, stepped, probe;
static ZydisDecoder decoder;

typedef struct
{
  guint place;
  guint8 code[CODE_MAX];
  guint length;
  guint8 data[DATA_SIZE];
  Regs regs;
} Program;

static Program program;

/* What it came to.  */
static struct
{
  guint programs, through, counted;
  guint64 bytes, ticks;
} sums;

static guint
choose (guint n)
{
  return (guint) g_test_rand_int_range (0, (gint32) n);
}

static guint64
random_value (void)
{
  guint64 wide = (guint64) (guint32) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();

  switch (choose (5))
    {
    case 0:
      return choose (10);
    case 1:
      return places[program.place].data + choose (DATA_SIZE - 256);
    case 2:
      return -(guint64) choose (100);
    case 3:
      return wide >> choose (64);
    default:
      return wide;
    }
}

/* Instructions.  */

static gboolean
is_wanted (const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands)
{
  static const ZydisInstructionCategory unwanted[]
      = { ZYDIS_CATEGORY_SYSCALL, ZYDIS_CATEGORY_INTERRUPT, ZYDIS_CATEGORY_SYSTEM,  ZYDIS_CATEGORY_IO,
          ZYDIS_CATEGORY_IOSTRINGOP, ZYDIS_CATEGORY_COND_BR, ZYDIS_CATEGORY_UNCOND_BR, ZYDIS_CATEGORY_CALL,
          ZYDIS_CATEGORY_RET, ZYDIS_CATEGORY_RDRAND, ZYDIS_CATEGORY_RDSEED, ZYDIS_CATEGORY_XSAVE,
          ZYDIS_CATEGORY_XSAVEOPT, ZYDIS_CATEGORY_SEGOP, ZYDIS_CATEGORY_SYSRET, ZYDIS_CATEGORY_VTX,
          ZYDIS_CATEGORY_RDWRFSGS };
  static const ZydisMnemonic odd[]
      = { ZYDIS_MNEMONIC_CPUID,  ZYDIS_MNEMONIC_RDPID,   ZYDIS_MNEMONIC_MWAIT,  ZYDIS_MNEMONIC_MWAITX,
          ZYDIS_MNEMONIC_MONITOR, ZYDIS_MNEMONIC_MONITORX, ZYDIS_MNEMONIC_UMWAIT, ZYDIS_MNEMONIC_TPAUSE,
          ZYDIS_MNEMONIC_FNSTENV, ZYDIS_MNEMONIC_FNSAVE, ZYDIS_MNEMONIC_FXSAVE, ZYDIS_MNEMONIC_FXSAVE64,
          ZYDIS_MNEMONIC_FXRSTOR, ZYDIS_MNEMONIC_FXRSTOR64, ZYDIS_MNEMONIC_FRSTOR, ZYDIS_MNEMONIC_FLDENV,
          ZYDIS_MNEMONIC_FLDCW, ZYDIS_MNEMONIC_LDMXCSR, ZYDIS_MNEMONIC_LSL, ZYDIS_MNEMONIC_RDPKRU,
          ZYDIS_MNEMONIC_WRPKRU, ZYDIS_MNEMONIC_POPF, ZYDIS_MNEMONIC_POPFQ, ZYDIS_MNEMONIC_RDTSC,
          ZYDIS_MNEMONIC_RDTSCP, ZYDIS_MNEMONIC_RDPMC, ZYDIS_MNEMONIC_LEAVE, ZYDIS_MNEMONIC_ENTER,
          ZYDIS_MNEMONIC_SERIALIZE, ZYDIS_MNEMONIC_CLZERO };

  for (guint i = 0; i < G_N_ELEMENTS (unwanted); i++)
    if (z->meta.category == unwanted[i])
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    if (z->mnemonic == odd[i])
      return FALSE;
  for (guint i = 0; i < z->operand_count; i++)
    {
      const ZydisDecodedOperand *op = &operands[i];

      if (op->type == ZYDIS_OPERAND_TYPE_REGISTER
          && ZydisRegisterGetClass (op->reg.value) == ZYDIS_REGCLASS_SEGMENT)
        return FALSE;
      if (op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT
          && ZydisRegisterGetLargestEnclosing (ZYDIS_MACHINE_MODE_LONG_64, op->reg.value) == ZYDIS_REGISTER_RSP
          && (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return FALSE;
    }
  return TRUE;
}

/* A first byte or two that lead into all encodings.  */
static void
fill_random (guint8 *bytes)
{
  guint at = 0;

  for (guint i = 0; i < 16; i++)
    bytes[i] = (guint8) choose (256);
  switch (choose (8))
    {
    case 0: /* as it comes  */
    case 1: bytes[at++] = (guint8) (0x40 | choose (16)); break;
    case 2:
      if (choose (2))
        bytes[at++] = "\x66\xf2\xf3"[choose (3)];
      if (choose (2))
        bytes[at++] = (guint8) (0x40 | choose (16));
      bytes[at++] = 0x0f;
      break;
    case 3: bytes[at++] = 0xc5; break;
    case 4:
      bytes[at++] = 0xc4;
      bytes[at] = (guint8) ((bytes[at] & 0xe0) | (1 + choose (3)));
      break;
    case 5:
      bytes[at++] = 0x62;
      bytes[at] = (guint8) ((bytes[at] & 0xf0) | (1 + choose (3)));
      bytes[at + 1] |= 4;
      break;
    case 6:
      if (choose (2))
        bytes[at++] = "\x66\xf2\xf3\xf0"[choose (4)];
      bytes[at++] = (guint8) (0x48 | choose (8));
      break;
    default: bytes[at++] = (guint8) (0xd8 | choose (8)); break;
    }
}

/* Give the memory operand of REQUEST an address that is mapped; *LOAD_RET:
   a register to be loaded with it before, or NONE.  */
static gboolean
redirect_memory (ZydisEncoderRequest *request, Addr *address_ret, ZydisRegister *load_ret)
{
  static const ZydisRegister bases[] = { ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13,
                                         ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R9,  ZYDIS_REGISTER_RSI };

  *load_ret = ZYDIS_REGISTER_NONE;
  for (guint i = 0; i < request->operand_count; i++)
    {
      ZydisEncoderOperand *op = &request->operands[i];

      if (op->type != ZYDIS_OPERAND_TYPE_MEMORY)
        continue;
      ZydisRegisterClass class = ZydisRegisterGetClass (op->mem.index);
      if (class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM || class == ZYDIS_REGCLASS_ZMM)
        return FALSE;
      Addr address = places[program.place].data + choose (DATA_SIZE - 256);
      if (choose (2))
        address &= ~63ull;
      *address_ret = address;
      op->mem.index = ZYDIS_REGISTER_NONE;
      op->mem.scale = 0;
      op->mem.displacement = (ZyanI64) address;
      if (choose (4) != 0)
        op->mem.base = ZYDIS_REGISTER_RIP;
      else
        {
          op->mem.base = *load_ret = bases[choose (G_N_ELEMENTS (bases))];
          op->mem.displacement = 0;
        }
      request->prefixes &= ~(ZydisInstructionAttributes) (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS);
      request->address_size_hint = ZYDIS_ADDRESS_SIZE_HINT_64;
      return TRUE;
    }
  return TRUE;
}

static guint
encode_load (guint8 *out, ZydisRegister reg, Addr address)
{
  ZydisEncoderRequest request = { .machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                  .mnemonic = ZYDIS_MNEMONIC_MOV,
                                  .operand_count = 2 };
  ZyanUSize n = 16;

  request.operands[0].type = ZYDIS_OPERAND_TYPE_REGISTER;
  request.operands[0].reg.value = reg;
  request.operands[1].type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
  request.operands[1].imm.u = address;
  g_assert_true (ZYAN_SUCCESS (ZydisEncoderEncodeInstruction (&request, out, &n)));
  return (guint) n;
}

/* One ordinary instruction for address AT (with what it needs before);
   its length, 0 if nothing came of it.  */
static guint
make_plain (guint8 *out, Addr at)
{
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  ZydisDecodedInstruction z;
  ZydisEncoderRequest request;
  guint8 bytes[16];
  ZydisRegister load = ZYDIS_REGISTER_NONE;
  Addr address = 0;
  guint done = 0;

  fill_random (bytes);
  if (!ZYAN_SUCCESS (ZydisDecoderDecodeFull (&decoder, bytes, sizeof bytes, &z, operands)) || !is_wanted (&z, operands)
      || !ZYAN_SUCCESS (ZydisEncoderDecodedInstructionToEncoderRequest (&z, operands, z.operand_count_visible, &request))
      || !redirect_memory (&request, &address, &load))
    return 0;
  if (z.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
    done += encode_load (out + done, ZYDIS_REGISTER_RCX, choose (40));
  if (z.meta.category == ZYDIS_CATEGORY_STRINGOP)
    {
      done += encode_load (out + done, ZYDIS_REGISTER_RSI, places[program.place].data + 512 + choose (DATA_SIZE - 1024));
      done += encode_load (out + done, ZYDIS_REGISTER_RDI, places[program.place].data + 512 + choose (DATA_SIZE - 1024));
    }
  if (load != ZYDIS_REGISTER_NONE)
    done += encode_load (out + done, load, address);
  ZyanUSize n = 16;
  if (!ZYAN_SUCCESS (ZydisEncoderEncodeInstructionAbsolute (&request, out + done, &n, at + done)))
    return 0;
  return done + (guint) n;
}

/* Running.  */

static void
load_program (const Task *task)
{
  g_autoptr (GError) error = NULL;
  static const guint8 zeros[0x10000];

  g_assert_true (task_write (task, places[program.place].code, program.code, sizeof program.code, &error));
  g_assert_true (task_write (task, places[program.place].data, program.data, sizeof program.data, &error));
  g_assert_true (task_write (task, STACK_TOP - 0x8000, zeros, sizeof zeros, &error));
  g_assert_true (task_set_regs (task, &program.regs, &error));
}

/* Natively to the next signal.  */
static void
run_native (const Task *task, siginfo_t *info)
{
  int status;

  g_assert_true (task_resume (task, PTRACE_CONT, 0, NULL) && task_wait (task, &status, NULL));
  g_assert_true (task_get_siginfo (task, info, NULL));
}

/* Does the instruction at the end of the code, N bytes, run through alone?  */
static gboolean
is_quiet (const guint8 *bytes, guint n)
{
  Addr at = places[program.place].code + program.length;
  Regs regs = program.regs;
  guint8 code[80];
  siginfo_t info;

  memcpy (code, bytes, n);
  code[n] = 0xcc;
  regs.rip = at;
  g_autoptr (GError) error = NULL;
  if (!task_write (&probe, at, code, n + 1, &error) || !task_set_regs (&probe, &regs, &error))
    g_error ("%s", error->message);
  run_native (&probe, &info);
  return info.si_signo == SIGTRAP && task_get_regs (&probe, &regs, NULL) && regs.rip == at + n + 1;
}

static void
put (const void *bytes, guint n)
{
  memcpy (program.code + program.length, bytes, n);
  program.length += n;
}

static void
put_u32 (guint32 value)
{
  put (&value, 4);
}

static Addr
here (void)
{
  return places[program.place].code + program.length;
}

static void
put_plain (void)
{
  for (guint tries = 0; tries < 50; tries++)
    {
      guint8 bytes[64];
      guint n = make_plain (bytes, here ());

      if (n != 0 && (choose (100) == 0 || is_quiet (bytes, n)))
        {
          put (bytes, n);
          return;
        }
    }
}

/* Control transfers; all lead forward, around OVER more plain items, and
   leave the stack balanced.  */

static void
put_jump_around (const void *opcode, guint n, gboolean near_form)
{
  put (opcode, n);
  guint place = program.length;
  put ("\0\0\0\0", near_form ? 4 : 1);
  guint from = program.length;
  for (guint i = choose (3); i > 0 && (near_form || program.length - from < 40); i--)
    put_plain ();
  if (!near_form && program.length - from > 127)
    program.length = from;
  guint32 distance = program.length - from;
  memcpy (program.code + place, &distance, near_form ? 4 : 1);
}

static void
put_lea_rip (guint8 modrm, guint8 rex, guint32 *place)
{
  guint8 bytes[] = { rex, 0x8d, modrm };

  put (bytes, 3);
  *place = program.length;
  put_u32 (0);
}

static void
fix_rip (guint32 place)
{
  guint32 distance = program.length - (place + 4);

  memcpy (program.code + place, &distance, 4);
}

static void
put_jcc (void)
{
  guint8 near_form[] = { 0x0f, (guint8) (0x80 | choose (16)) }, short_form = (guint8) (0x70 | choose (16));

  if (choose (2))
    put_jump_around (near_form, 2, TRUE);
  else
    put_jump_around (&short_form, 1, FALSE);
}

static void
put_jmp_near (void)
{
  put_jump_around ("\xe9", 1, TRUE);
}

static void
put_jmp_short (void)
{
  put_jump_around ("\xeb", 1, FALSE);
}

static void
put_loop (void)
{
  guint8 byte = (guint8) (0xe0 | choose (4));

  put_jump_around (&byte, 1, FALSE);
}

static void
put_loop_long (void)
{
  guint8 bytes[] = { 0x67, (guint8) (0xe0 | choose (4)) };

  put_jump_around (bytes, 2, FALSE);
}

/* call 1f; [jmp 2f]; 1: ...; ret; 2:  */
static void
put_call (void)
{
  static const char *const rets[] = { "\xc3", "\xf3\xc3" };
  guint pop = choose (3) == 0 ? 16 : 0;

  if (pop != 0)
    put ("\x48\x8d\x64\x24\xf0", 5); /* lea -16(%rsp), %rsp  */
  put ("\xe8\x05\0\0\0", 5);
  put ("\xe9", 1);
  guint place = program.length;
  put_u32 (0);
  put_plain ();
  if (pop != 0)
    put ("\xc2\x10\0", 3);
  else
    {
      guint which = choose (2);
      put (rets[which], which + 1);
    }
  fix_rip (place);
}

/* lea 1f(%rip), REG; jmp/call *REG or through memory.  */
static void
put_indirect (void)
{
  gboolean call = choose (2) != 0;
  guint reg = choose (8);
  guint32 place;

  if (reg == 4)
    reg = 3;
  put_lea_rip ((guint8) (0x05 | reg << 3), 0x48, &place);
  if (choose (2))
    {
      guint8 bytes[] = { 0xff, (guint8) ((call ? 0xd0 : 0xe0) | reg) };
      put (bytes, 2);
    }
  else
    {
      /* mov REG, data(%rip); jmp *data(%rip)  */
      guint8 store[] = { 0x48, 0x89, (guint8) (0x05 | reg << 3) }, jump[] = { 0xff, call ? 0x15 : 0x25 };
      Addr data = places[program.place].data + 8 * choose (100);
      put (store, 3);
      put_u32 ((guint32) (data - (here () + 4)));
      put (jump, 2);
      put_u32 ((guint32) (data - (here () + 4)));
    }
  for (guint i = choose (2); i > 0; i--)
    put_plain ();
  fix_rip (place);
  if (call)
    put ("\x48\x8d\x64\x24\x08", 5); /* lea 8(%rsp), %rsp  */
}

/* lea 1f(%rip), %rdx; push %rdx; ret; 1:  */
static void
put_push_ret (void)
{
  guint32 place;

  put_lea_rip (0x15, 0x48, &place);
  put ("\x52\xc3", 2);
  put_plain ();
  fix_rip (place);
}

/* movq $N, data(%rip); 1: ...; decq data(%rip); jnz 1b.  The body may spoil
   the counter; then both ways run into the limit.  */
static void
put_counted_loop (void)
{
  Addr data = places[program.place].data + DATA_SIZE - 8;

  put ("\x48\xc7\x05", 3);
  put_u32 ((guint32) (data - (here () + 8)));
  put_u32 (1 + choose (20));
  guint top = program.length;
  for (guint i = choose (4); i > 0; i--)
    put_plain ();
  put ("\x48\xff\x0d", 3);
  put_u32 ((guint32) (data - (here () + 4)));
  put ("\x0f\x85", 2);
  put_u32 (top - (program.length + 4));
}

static void
put_stack (void)
{
  put_plain ();
  put ("\x9c\x58", 2); /* pushf; pop %rax  */
  put ("\xff\x35", 2);
  put_u32 ((guint32) (places[program.place].data + 64 - (here () + 4)));
  put ("\x8f\x05", 2);
  put_u32 ((guint32) (places[program.place].data + 72 - (here () + 4)));
}

typedef void (*PutFunc) (void);

static const PutFunc puts_[] = { put_jcc,  put_jcc,      put_jmp_near, put_jmp_short,    put_loop,  put_loop_long,
                                 put_call, put_indirect, put_push_ret, put_counted_loop, put_stack, put_plain };

static void
make_program (void)
{
  Regs *regs = &program.regs;
  unsigned long long *const general[]
      = { &regs->rax, &regs->rbx, &regs->rcx, &regs->rdx, &regs->rsi, &regs->rdi, &regs->rbp, &regs->r8,
          &regs->r9,  &regs->r10, &regs->r11, &regs->r12, &regs->r13, &regs->r14, &regs->r15 };

  memset (program.code, 0xcc, sizeof program.code);
  program.place = choose (G_N_ELEMENTS (places));
  program.length = 0;
  for (guint i = 0; i < DATA_SIZE; i += 8)
    {
      guint64 value = random_value ();
      memcpy (program.data + i, &value, 8);
    }
  g_assert_true (task_get_regs (&native, regs, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (general); i++)
    *general[i] = random_value ();
  regs->rip = places[program.place].code;
  regs->rsp = STACK_TOP;
  regs->eflags = 0x202 | (choose (0x1000) & 0x8d5);
  regs->orig_rax = ~0ull;
  g_assert_true (task_write (&probe, places[program.place].data, program.data, sizeof program.data, NULL));
  for (guint i = choose (MAX_ITEMS); i > 0 && program.length < CODE_MAX - 512; i--)
    if (choose (3))
      put_plain ();
    else
      puts_[choose (G_N_ELEMENTS (puts_))]();
}

static void
dump_program (const char *what)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < program.length; i++)
    g_string_append_printf (text, "%02x", program.code[i]);
  g_test_message ("%s: code at 0x%" G_GINT64_MODIFIER "x: %s", what, places[program.place].code, text->str);
}

static void
assert_same_data (const Task *other)
{
  static guint8 a[DATA_SIZE], b[DATA_SIZE];

  g_assert_true (task_read (&native, places[program.place].data, a, sizeof a, NULL));
  g_assert_true (task_read (other, places[program.place].data, b, sizeof b, NULL));
  g_assert_cmpmem (a, sizeof a, b, sizeof b);
}

/* The code may run on for ever if the loop's counter is spoilt: native runs
   have a debug register as a limit of nothing; so use the translated run
   first, with a limit.  FALSE: out of ticks.  */
static gboolean
run_translated (TicksResult *result)
{
  TicksRequest request = { .max_ticks = 100000 };

  run_or_fail (harness.ticks, &translated, &request, result);
  return result->stop != TICKS_STOP_TICKS;
}

/* RESULT is of a run in the code cache.  */
static void
compare_with_native (const TicksResult *result, const siginfo_t *info)
{
  if (info->si_signo != result->siginfo.si_signo || info->si_addr != result->siginfo.si_addr)
    dump_program ("differs");
  g_assert_cmpint (result->stop, ==, TICKS_STOP_FAULT);
  g_assert_cmpint (result->siginfo.si_signo, ==, info->si_signo);
  g_assert_cmpint (result->siginfo.si_code, ==, info->si_code);
  g_assert_cmphex ((gsize) result->siginfo.si_addr, ==, (gsize) info->si_addr);
  assert_same_state (&native, &translated);
  assert_same_data (&translated);
}

static void
run_program (gboolean count)
{
  TicksRequest request = { .max_ticks = 2000 }, uncounted = { .uncounted = TRUE };
  TicksResult result, again, oracle;
  siginfo_t info;

  load_program (&native);
  load_program (&translated);
  g_autoptr (GBytes) xstate = task_get_xstate (&native, NULL);
  g_assert_true (task_set_xstate (&translated, xstate, NULL));
  g_assert_true (task_set_xstate (&stepped, xstate, NULL));
  if (!run_translated (&result))
    return;
  run_native (&native, &info);
  compare_with_native (&result, &info);
  load_program (&translated);
  g_assert_true (task_set_xstate (&translated, xstate, NULL));
  run_or_fail (harness.ticks, &translated, &uncounted, &again);
  compare_with_native (&again, &info);
  sums.programs++;
  sums.through += info.si_signo == SIGTRAP;
  sums.bytes += program.length;
  sums.ticks += result.ticks;
  if (!count || result.ticks >= 2000)
    return;
  load_program (&stepped);
  run_or_fail (NULL, &stepped, &request, &oracle);
  g_assert_cmpint (oracle.stop, ==, TICKS_STOP_FAULT);
  g_assert_cmpuint (oracle.ticks, ==, result.ticks);
  assert_same_state (&native, &stepped);
  assert_same_data (&stepped);
  sums.counted++;
}

static void
test_programs (void)
{
  const char *times = g_getenv ("RETRO_FUZZ");
  guint n = 300 * (times != NULL ? (guint) atoi (times) : 1);

  for (guint i = 0; i < n; i++)
    {
      make_program ();
      run_program (i % 8 == 0);
    }
  g_test_message ("%u programs, %u of them to the end, %u counted; %" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT
                  " ticks",
                  sums.programs, sums.through, sums.counted, sums.bytes, sums.ticks);
  g_assert_cmpuint (sums.through, >, n / 4);
  g_assert_cmpuint (sums.counted, >, 0);
}

static void
map_places (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_assert_true (mmap ((void *) PAGE_DOWN (places[i].code), 0x3000, places[i].prot,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                     != MAP_FAILED);
      g_assert_true (mmap ((void *) places[i].data, DATA_SIZE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                     != MAP_FAILED);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ZydisDecoderInit (&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  map_places ();
  harness_init (&harness);
  harness_start (&harness, &native, map_places, 0);
  harness_start (&harness, &translated, map_places, 0);
  harness_start (&harness, &stepped, map_places, 0);
  harness_start (&harness, &probe, map_places, 0);
  g_test_add_func ("/ticks/fuzz", test_programs);
  int status = g_test_run ();
  task_kill (&native);
  task_kill (&translated);
  task_kill (&stepped);
  task_kill (&probe);
  harness_clear (&harness);
  return status;
}
