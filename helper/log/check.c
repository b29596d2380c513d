/* Checks of what a program can observe of a thread: general registers and
   extended state (see event.h).

   The extended state needs a canonical form.  The kernel may store a
   component that is in its initial state or leave it out (XSTATE_BV), as
   the CPU's init optimisation and context switches happen to go; the last
   x87 instruction pointers depend on the CPU model and on interrupts; and
   the bytes that the legacy area reserves hold what the kernel likes.
   None of that may make a replay differ.  Where each component lies is
   the CPU's to say (CPUID leaf 0xD); ptrace always uses the standard, not
   the compacted format.  */

#include "base/hash.h"
#include "log/event.h"

#include <cpuid.h>
#include <string.h>

#define FLAG_TF 0x100ull
#define FLAG_RF 0x10000ull

/* The legacy area (FXSAVE image).  */
#define X87_CONTROL 0
#define X87_STATUS 2
#define X87_TAGS 4
#define LEGACY_MXCSR 24
#define X87_STACK 32
#define SSE_REGISTERS 160
#define SSE_REGISTERS_SIZE 256
#define LEGACY_SIZE 512
#define XSTATE_BV 512
#define XSAVE_HEADER_END 576

#define COMPONENTS 63
#define COMPONENT_PKRU 9
#define X87_CONTROL_INIT 0x37f
#define MXCSR_INIT 0x1f80
#define PKRU_INIT 0x55555554u /* the kernel's, not the CPU's  */

typedef struct
{
  guint32 offset, size;
} Component;

guint32
regs_check (const Regs *regs, gboolean at_syscall)
{
  guint64 h = at_syscall ? 1 : 2;

  h = hash_word (h, regs->rip);
  h = hash_word (h, regs->rsp);
  h = hash_word (h, regs->rbp);
  h = hash_word (h, regs->rbx);
  h = hash_word (h, regs->rdx);
  h = hash_word (h, regs->rsi);
  h = hash_word (h, regs->rdi);
  h = hash_word (h, regs->r8);
  h = hash_word (h, regs->r9);
  h = hash_word (h, regs->r10);
  h = hash_word (h, regs->r12);
  h = hash_word (h, regs->r13);
  h = hash_word (h, regs->r14);
  h = hash_word (h, regs->r15);
  h = hash_word (h, regs->eflags & ~(FLAG_TF | FLAG_RF));
  h = hash_word (h, regs->fs_base);
  h = hash_word (h, regs->gs_base);
  if (!at_syscall)
    {
      h = hash_word (h, regs->rax);
      h = hash_word (h, regs->rcx);
      h = hash_word (h, regs->r11);
    }
  return hash_fold (hash_finish (h));
}

/* Where this CPU keeps the components from number 2 up.  */
static const Component *
components (void)
{
  static Component table[COMPONENTS];
  static gboolean known;

  if (!known)
    {
      unsigned eax, ebx, ecx, edx;
      guint64 mask = 0;

      if (__get_cpuid_count (0xd, 0, &eax, &ebx, &ecx, &edx))
        mask = eax | (guint64) edx << 32;
      for (unsigned i = 2; i < COMPONENTS; i++)
        if ((mask >> i & 1) && __get_cpuid_count (0xd, i, &eax, &ebx, &ecx, &edx))
          table[i] = (Component){ .offset = ebx, .size = eax };
      known = TRUE;
    }
  return table;
}

static gboolean
is_zero (const guint8 *data, gsize length)
{
  guint8 any = 0;

  for (gsize i = 0; i < length; i++)
    any |= data[i];
  return any == 0;
}

static guint16
get_u16 (const guint8 *at)
{
  guint16 value;

  memcpy (&value, at, sizeof value);
  return value;
}

static guint32
get_u32 (const guint8 *at)
{
  guint32 value;

  memcpy (&value, at, sizeof value);
  return value;
}

static guint64
get_u64 (const guint8 *at)
{
  guint64 value;

  memcpy (&value, at, sizeof value);
  return value;
}

static guint64
hash_x87 (guint64 h, const guint8 *data)
{
  gboolean init = get_u16 (data + X87_CONTROL) == X87_CONTROL_INIT && get_u16 (data + X87_STATUS) == 0
                  && data[X87_TAGS] == 0;

  for (int i = 0; init && i < 8; i++)
    init = is_zero (data + X87_STACK + 16 * i, 10);
  if (init)
    return h;
  h = hash_word (h, get_u16 (data + X87_CONTROL) | (guint64) get_u16 (data + X87_STATUS) << 16
                      | (guint64) data[X87_TAGS] << 32);
  for (int i = 0; i < 8; i++)
    {
      h = hash_word (h, get_u64 (data + X87_STACK + 16 * i));
      h = hash_word (h, get_u16 (data + X87_STACK + 16 * i + 8));
    }
  return h;
}

static guint64
hash_component (guint64 h, unsigned number, const guint8 *data, gsize length)
{
  if (is_zero (data, length))
    return h;
  return hash_word (h, hash_bytes (data, length, number));
}

guint32
xstate_hash (GBytes *xstate)
{
  gsize length = 0;
  const guint8 *data = xstate != NULL ? g_bytes_get_data (xstate, &length) : NULL;
  const Component *table = components ();
  guint64 present = length >= XSAVE_HEADER_END ? get_u64 (data + XSTATE_BV) : 3;
  guint32 pkru = PKRU_INIT;
  guint32 mxcsr = MXCSR_INIT;
  guint64 h = 3;

  if (length >= LEGACY_SIZE)
    {
      mxcsr = get_u32 (data + LEGACY_MXCSR);
      /* Some kernels say 0 while the SSE state is the initial one; if it
         were 0, SSE would not be.  */
      if (mxcsr == 0 && !(present & 2))
        mxcsr = MXCSR_INIT;
      if (present & 1)
        h = hash_x87 (h, data);
      if (present & 2)
        h = hash_component (h, 1, data + SSE_REGISTERS, SSE_REGISTERS_SIZE);
    }
  for (unsigned i = 2; i < COMPONENTS && present >> i != 0; i++)
    {
      const Component *c = &table[i];

      if (!(present >> i & 1) || c->size == 0 || (guint64) c->offset + c->size > length)
        continue;
      if (i == COMPONENT_PKRU)
        pkru = get_u32 (data + c->offset);
      else
        h = hash_component (h, i, data + c->offset, c->size);
    }
  h = hash_word (h, mxcsr | (guint64) pkru << 32);
  return hash_fold (hash_finish (h));
}
