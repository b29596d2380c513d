/* The dynamic loader's lazy binding, made repeatable.

   At the first call of a function ld.so saves the vector registers on the
   stack with XSAVEC, which leaves out the components that the processor
   knows to be in their initial state.  What it knows is not a function of
   the program: on AMD's processors the SSE registers, all zero, are "in
   use" or not depending on what the host did meanwhile (XGETBV with ecx = 1
   shows it change in a loop).  So the bytes that the save leaves below the
   stack pointer would differ from run to run, and a later function can
   find them in a variable without a value.

   The sequence of glibc's _dl_runtime_resolve_xsavec, 60 bytes from the
   mask to the save, has room to spare: it is replaced by one that clears
   the whole area first and then marks all components as present, so that
   what was left out is there with its initial value.  rax, rcx, rdx and rdi
   were saved before and are loaded again after, flags do not matter.

   Another sequence (another libc) stays as it is.  Programs that use
   XSAVEC or XGETBV themselves are not helped.  */

#include "record/internal.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define LOADER_MAX (1u << 20)
/* Where both sequences have the mask of the components, which varies.  */
#define MASK_AT 16
#define MASK_SIZE 4

static const guint8 save_old[] = {
  0x48, 0x89, 0x7c, 0x24, 0x20,                   /* mov    %rdi, 0x20(%rsp)  */
  0x4c, 0x89, 0x44, 0x24, 0x28,                   /* mov    %r8, 0x28(%rsp)  */
  0x4c, 0x89, 0x4c, 0x24, 0x30,                   /* mov    %r9, 0x30(%rsp)  */
  0xb8, 0xee, 0x00, 0x00, 0x00,                   /* mov    $MASK, %eax  */
  0x31, 0xd2,                                     /* xor    %edx, %edx  */
  0x48, 0x89, 0x94, 0x24, 0x50, 0x02, 0x00, 0x00, /* mov    %rdx, 0x250(%rsp)  */
  0x48, 0x89, 0x94, 0x24, 0x58, 0x02, 0x00, 0x00, /* mov    %rdx, 0x258(%rsp)  */
  0x48, 0x89, 0x94, 0x24, 0x60, 0x02, 0x00, 0x00, /* mov    %rdx, 0x260(%rsp)  */
  0x48, 0x89, 0x94, 0x24, 0x68, 0x02, 0x00, 0x00, /* mov    %rdx, 0x268(%rsp)  */
  0x48, 0x89, 0x94, 0x24, 0x70, 0x02, 0x00, 0x00, /* mov    %rdx, 0x270(%rsp)  */
  0x48, 0x89, 0x94, 0x24, 0x78, 0x02, 0x00, 0x00, /* mov    %rdx, 0x278(%rsp)  */
  0x0f, 0xc7, 0x64, 0x24, 0x40,                   /* xsavec 0x40(%rsp)  */
};

/* rbx is the stack pointer from before the area was made.  */
static const guint8 save_new[] = {
  0x48, 0x89, 0x7c, 0x24, 0x20,                         /* as before  */
  0x4c, 0x89, 0x44, 0x24, 0x28,                         /*  */
  0x4c, 0x89, 0x4c, 0x24, 0x30,                         /*  */
  0xba, 0xee, 0x00, 0x00, 0x00,                         /* mov    $MASK, %edx  */
  0x48, 0x8d, 0x7c, 0x24, 0x40,                         /* lea    0x40(%rsp), %rdi  */
  0x48, 0x89, 0xd9,                                     /* mov    %rbx, %rcx  */
  0x48, 0x29, 0xf9,                                     /* sub    %rdi, %rcx  */
  0xc1, 0xe9, 0x03,                                     /* shr    $3, %ecx  */
  0x31, 0xc0,                                           /* xor    %eax, %eax  */
  0xf3, 0x48, 0xab,                                     /* rep stos %rax, (%rdi)  */
  0xc7, 0x44, 0x24, 0x58, 0x80, 0x1f, 0x00, 0x00,       /* movl   $0x1f80, 0x58(%rsp): MXCSR  */
  0x92,                                                 /* xchg   %eax, %edx  */
  0x0f, 0xc7, 0x64, 0x24, 0x40,                         /* xsavec 0x40(%rsp)  */
  0x8b, 0x84, 0x24, 0x48, 0x02, 0x00, 0x00,             /* mov    0x248(%rsp), %eax: XCOMP_BV  */
  0x89, 0x84, 0x24, 0x40, 0x02, 0x00, 0x00,             /* mov    %eax, 0x240(%rsp): XSTATE_BV  */
  0xc7, 0x44, 0x24, 0x5c, 0x00, 0x00, 0x00, 0x00,       /* movl   $0, 0x5c(%rsp): MXCSR_MASK, only written with the SSE registers  */
};

/* The executable mapping of the interpreter, which begins at BASE.  */
static gboolean
find_code (pid_t pid, Addr base, Addr *start_ret, gsize *size_ret)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", (int) pid);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      Addr start, end;
      char x = '-';

      if (sscanf (*line, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %*2c%c", &start, &end, &x) == 3 && x == 'x'
          && start >= base && end - base <= LOADER_MAX)
        {
          *start_ret = start;
          *size_ret = end - start;
          return TRUE;
        }
    }
  return FALSE;
}

/* AT_BASE, 0 if the program has no interpreter.  */
static Addr
interpreter_base (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/auxv", (int) pid);
  g_autofree char *data = NULL;
  gsize size = 0;
  Elf64_auxv_t entry;

  if (!g_file_get_contents (path, &data, &size, NULL))
    return 0;
  for (gsize at = 0; at + sizeof entry <= size; at += sizeof entry)
    {
      memcpy (&entry, data + at, sizeof entry);
      if (entry.a_type == AT_BASE)
        return entry.a_un.a_val;
    }
  return 0;
}

/* Does some thread stand in the LENGTH bytes at ADDR?  */
static gboolean
in_use (Recorder *r, Addr addr, gsize length)
{
  for (guint i = 0; i < r->threads->len; i++)
    {
      const Thread *t = r->threads->pdata[i];
      Regs regs;

      if (t->state != THREAD_GONE && (!task_get_regs (&t->task, &regs, NULL) || regs.rip - addr < length))
        return TRUE;
    }
  return FALSE;
}

gboolean
loader_patch (Recorder *r, const Task *task, GError **error)
{
  guint8 old[sizeof save_old], new[sizeof save_new];
  Addr base = interpreter_base (r->pid), start;
  gsize size;

  G_STATIC_ASSERT (sizeof save_old == sizeof save_new);
  if (base == 0 || !find_code (r->pid, base, &start, &size))
    return TRUE;
  g_autofree guint8 *code = g_malloc (size);
  if (!task_read (task, start, code, size, error))
    return FALSE;
  memcpy (old, save_old, sizeof old);
  memcpy (new, save_new, sizeof new);
  for (gsize at = 0; at + sizeof old <= size; at++)
    {
      if (memcmp (code + at, old, MASK_AT) != 0)
        continue;
      memcpy (old + MASK_AT, code + at + MASK_AT, MASK_SIZE);
      memcpy (new + MASK_AT, code + at + MASK_AT, MASK_SIZE);
      if (memcmp (code + at, old, sizeof old) == 0 && !in_use (r, start + at, sizeof old))
        return task_write (task, start + at, new, sizeof new, error);
    }
  return TRUE;
}
