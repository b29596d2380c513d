/* See trapped.h.  */

#include "trace/trapped.h"

#include "base/error.h"

#include <cpuid.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define ARCH_SET_CPUID 0x1012

/* Bits of cpuid that programs are not shown.  */
static const struct
{
  guint32 leaf, subleaf;
  guint32 eax, ebx, ecx, edx;
} hidden[] = {
  { 1, 0, .ecx = 1u << 30 /* RDRAND */ },
  { 7, 0,
    .ebx = 1u << 4 /* HLE */ | 1u << 11 /* RTM */ | 1u << 18 /* RDSEED */,
    .ecx = 1u << 5 /* WAITPKG */ | 1u << 7 /* SHSTK */ | 1u << 22 /* RDPID */,
    .edx = 1u << 5 /* UINTR */ | 1u << 16 /* TSXLDTRK */ | 1u << 20 /* IBT */ | 1u << 22 /* AMX-BF16 */
           | 1u << 24 /* AMX-TILE */ | 1u << 25 /* AMX-INT8 */ },
  { 7, 1, .eax = 1u << 21 /* AMX-FP16 */, .edx = 1u << 8 /* AMX-COMPLEX */ },
};

static gboolean
set_cpuid (gboolean trap)
{
  return syscall (SYS_arch_prctl, ARCH_SET_CPUID, trap ? 0ul : 1ul) == 0;
}

gboolean
trapped_has_cpuid (void)
{
  static gboolean known, has;

  if (!known && set_cpuid (TRUE))
    has = set_cpuid (FALSE);
  known = TRUE;
  return has;
}

void
trapped_set_own (gboolean cpuid)
{
  prctl (PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
  if (cpuid)
    set_cpuid (TRUE);
}

gboolean
trapped_set (Task *task, gboolean trap, gboolean cpuid, GError **error)
{
  const guint64 tsc[6] = { PR_SET_TSC, trap ? PR_TSC_SIGSEGV : PR_TSC_ENABLE };
  const guint64 id[6] = { ARCH_SET_CPUID, trap ? 0 : 1 };
  gint64 result;

  return task_inject (task, SYS_prctl, tsc, &result, NULL, error)
         && (!cpuid || task_inject (task, SYS_arch_prctl, id, &result, NULL, error));
}

/* The instruction at PC and its length.  */
static Trapped
decode (const Task *task, Addr pc, gsize *length_ret)
{
  guint8 code[3] = { 0 };

  task_read_some (task, pc, code, sizeof code);
  *length_ret = code[1] == 0x01 ? 3 : 2;
  if (code[0] != 0x0f)
    return TRAPPED_NOT;
  if (code[1] == 0xa2)
    return TRAPPED_CPUID;
  return code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9) ? TRAPPED_TSC : TRAPPED_NOT;
}

Trapped
trapped_at (const Task *task, Addr pc)
{
  gsize length;

  return decode (task, pc, &length);
}

static void
perform_cpuid (Regs *regs)
{
  guint32 leaf = (guint32) regs->rax, subleaf = (guint32) regs->rcx;
  guint32 a, b, c, d;

  __cpuid_count (leaf, subleaf, a, b, c, d);
  for (gsize i = 0; i < G_N_ELEMENTS (hidden); i++)
    if (hidden[i].leaf == leaf && (hidden[i].subleaf == subleaf || leaf == 1))
      {
        a &= ~hidden[i].eax;
        b &= ~hidden[i].ebx;
        c &= ~hidden[i].ecx;
        d &= ~hidden[i].edx;
      }
  regs->rax = a;
  regs->rbx = b;
  regs->rcx = c;
  regs->rdx = d;
}

gboolean
trapped_perform (const Task *task, Regs *regs)
{
  gsize length;
  guint64 tsc;

  switch (decode (task, regs->rip, &length))
    {
    case TRAPPED_CPUID:
      perform_cpuid (regs);
      break;
    case TRAPPED_TSC:
      tsc = __rdtsc ();
      regs->rax = (guint32) tsc;
      regs->rdx = tsc >> 32;
      if (length == 3)
        regs->rcx = 0; /* rdtscp: CPU 0 of node 0  */
      break;
    default:
      return FALSE;
    }
  regs->rip += length;
  return TRUE;
}
