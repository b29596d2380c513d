/* The vdso of an attached process: made to enter the kernel.

   A program that we start never sees its vdso (spawn.c).  One that runs
   already has the addresses of its functions, which read the time from
   memory that the kernel changes under us.  So each function gets a new
   beginning that makes the real call; the old bytes come back when the
   program is let go.

   The image is ELF made by the kernel, but it is read from the program's
   memory and so not trusted: every offset is checked.  */

#include "record/internal.h"

#include "base/error.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define VDSO_MAX 65536u
#define MAX_STEPS 20000

static const struct
{
  const char *name;
  guint32 nr;
} functions[] = {
  { "__vdso_clock_gettime", SYS_clock_gettime }, { "__vdso_gettimeofday", SYS_gettimeofday },
  { "__vdso_time", SYS_time },                   { "__vdso_clock_getres", SYS_clock_getres },
  { "__vdso_getcpu", SYS_getcpu },
};

typedef struct
{
  Addr addr;
  guint8 old[8];
} Patch;

static gboolean
find_vdso (const Recorder *r, Addr *start_ret, Addr *end_ret)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", r->pid);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  const char *at = strstr (text, "[vdso]");
  if (at == NULL)
    return FALSE;
  while (at > text && at[-1] != '\n')
    at--;
  return sscanf (at, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x", start_ret, end_ret) == 2
         && *end_ret - *start_ret <= VDSO_MAX;
}

/* The system call that the function NAME stands for, or 0.  */
static guint32
find_call (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (strcmp (name, functions[i].name) == 0)
      return functions[i].nr;
  return 0;
}

static gboolean
patch (Recorder *r, const Task *task, Addr addr, guint32 nr, GError **error)
{
  guint8 code[8] = { 0xb8, 0, 0, 0, 0, 0x0f, 0x05, 0xc3 }; /* mov $nr, %eax; syscall; ret  */
  Patch old = { .addr = addr };

  memcpy (code + 1, &nr, sizeof nr);
  if (!task_read (task, addr, old.old, sizeof old.old, error) || !task_write (task, addr, code, sizeof code, error))
    return FALSE;
  g_array_append_val (r->patches, old);
  return TRUE;
}

static gboolean
patch_symbols (Recorder *r, const Task *task, Addr start, const guint8 *image, gsize size, const Elf64_Shdr *symbols,
               const Elf64_Shdr *strings, GError **error)
{
  for (gsize i = 0; i + 1 <= symbols->sh_size / sizeof (Elf64_Sym); i++)
    {
      Elf64_Sym symbol;

      memcpy (&symbol, image + symbols->sh_offset + i * sizeof symbol, sizeof symbol);
      if (symbol.st_name >= strings->sh_size || symbol.st_value + 8 > size
          || ELF64_ST_TYPE (symbol.st_info) != STT_FUNC)
        continue;
      const char *name = (const char *) image + strings->sh_offset + symbol.st_name;
      if (memchr (name, 0, strings->sh_size - symbol.st_name) == NULL)
        continue;
      guint32 nr = find_call (name);
      if (nr != 0 && !patch (r, task, start + symbol.st_value, nr, error))
        return FALSE;
    }
  return TRUE;
}

/* A section header table entry, or FALSE if it or its contents lie outside.  */
static gboolean
read_section (const guint8 *image, gsize size, const Elf64_Ehdr *header, guint index, Elf64_Shdr *section_ret)
{
  gsize at = header->e_shoff + (gsize) index * sizeof *section_ret;

  if (index >= header->e_shnum || header->e_shoff > size || at + sizeof *section_ret > size)
    return FALSE;
  memcpy (section_ret, image + at, sizeof *section_ret);
  return section_ret->sh_offset <= size && section_ret->sh_size <= size - section_ret->sh_offset;
}

gboolean
vdso_patch (Recorder *r, const Task *task, GError **error)
{
  Addr start, end;
  Elf64_Ehdr header;

  r->patches = g_array_new (FALSE, FALSE, sizeof (Patch));
  if (!find_vdso (r, &start, &end))
    return TRUE;
  gsize size = end - start;
  g_autofree guint8 *image = g_malloc0 (size);
  if (!task_read (task, start, image, size, error))
    return FALSE;
  memcpy (&header, image, sizeof header);
  if (memcmp (header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof (Elf64_Shdr))
    return TRUE;
  for (guint i = 0; i < header.e_shnum; i++)
    {
      Elf64_Shdr symbols, strings;

      if (read_section (image, size, &header, i, &symbols) && symbols.sh_type == SHT_DYNSYM
          && read_section (image, size, &header, symbols.sh_link, &strings)
          && !patch_symbols (r, task, start, image, size, &symbols, &strings, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
vdso_step_out (Recorder *r, Thread *t, GError **error)
{
  Addr start, end;
  Regs regs;
  int status;

  if (!find_vdso (r, &start, &end))
    return TRUE;
  for (int i = 0; i < MAX_STEPS; i++)
    {
      if (!task_get_regs (&t->task, &regs, error))
        return FALSE;
      if (regs.rip < start || regs.rip >= end)
        return TRUE;
      if (!task_step (&t->task, &status, error))
        return FALSE;
      if (status >> 16 == 0 && WSTOPSIG (status) != SIGTRAP)
        return error_set (error, RETRO_ERROR_FAILED, "thread %d got a signal in the vdso; try again", t->task.tid);
    }
  return error_set (error, RETRO_ERROR_FAILED, "thread %d does not leave the vdso", t->task.tid);
}

void
vdso_restore (Recorder *r, const Task *task)
{
  for (guint i = 0; r->patches != NULL && i < r->patches->len; i++)
    {
      const Patch *old = &g_array_index (r->patches, Patch, i);

      task_write (task, old->addr, old->old, sizeof old->old, NULL);
    }
}
