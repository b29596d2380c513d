/* System calls for people: names, arguments, results.  */

#include "sys/rows.h"

#include <fcntl.h>
#include <string.h>

const char *
sys_name (gint64 nr)
{
  const SysRow *row = sys_row (nr);

  if (row->name != NULL)
    return row->name;
  g_autofree char *name = g_strdup_printf ("syscall %" G_GINT64_FORMAT, nr);
  return g_intern_string (name);
}

static void
append_signed (GString *out, guint64 arg)
{
  g_string_append_printf (out, "%d", (int) arg);
}

static void
append_long (GString *out, guint64 arg)
{
  g_string_append_printf (out, "%" G_GINT64_FORMAT, (gint64) arg);
}

static void
append_unsigned (GString *out, guint64 arg)
{
  g_string_append_printf (out, "%" G_GUINT64_FORMAT, arg);
}

static void
append_hex (GString *out, guint64 arg)
{
  g_string_append_printf (out, arg < 10 ? "%" G_GUINT64_FORMAT : "0x%" G_GINT64_MODIFIER "x", arg);
}

static void
append_octal (GString *out, guint64 arg)
{
  g_string_append_printf (out, "%#o", (guint) arg);
}

static void
append_pointer (GString *out, guint64 arg)
{
  if (arg == 0)
    g_string_append (out, "NULL");
  else
    g_string_append_printf (out, "0x%" G_GINT64_MODIFIER "x", arg);
}

static void
append_descriptor (GString *out, guint64 arg)
{
  if ((int) arg == AT_FDCWD)
    g_string_append (out, "AT_FDCWD");
  else
    append_signed (out, arg);
}

static void
append_signal (GString *out, guint64 arg)
{
  const char *name = arg < 32 ? sigabbrev_np ((int) arg) : NULL;

  if (name != NULL)
    g_string_append_printf (out, "SIG%s", name);
  else
    append_signed (out, arg);
}

static const struct
{
  char letter;
  void (*append) (GString *out, guint64 arg);
} formats[] = {
  { 'd', append_signed },  { 'l', append_long },       { 'u', append_unsigned }, { 'x', append_hex },
  { 'o', append_octal },   { 'p', append_pointer },    { 's', append_pointer },  { 'f', append_descriptor },
  { 'g', append_signal },
};

char *
sys_describe (gint64 nr, const guint64 args[6])
{
  const SysRow *row = sys_row (nr);
  const char *format = row->arg_format != NULL ? row->arg_format : "xxxxxx";
  GString *out = g_string_new (sys_name (nr));

  g_string_append (out, " (");
  for (guint i = 0; i < 6 && format[i] != '\0'; i++)
    {
      if (i > 0)
        g_string_append (out, ", ");
      for (guint k = 0; k < G_N_ELEMENTS (formats); k++)
        if (formats[k].letter == format[i])
          formats[k].append (out, args[i]);
    }
  g_string_append_c (out, ')');
  return g_string_free (out, FALSE);
}

/* The kernel's own, which ptrace shows.  */
static const char *const restart_names[] = { "ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", NULL,
                                             "ERESTART_RESTARTBLOCK" };

const char *
sys_errno_name (int number)
{
  if (number >= 512 && number < 512 + (int) G_N_ELEMENTS (restart_names))
    return restart_names[number - 512];
  return strerrorname_np (number);
}

char *
sys_describe_result (gint64 nr, gint64 result)
{
  const char *name = result < 0 && result >= -4095 ? sys_errno_name ((int) -result) : NULL;

  if (name != NULL && result != 0)
    return g_strdup_printf ("= -%s", name);
  if (nr == SYS_mmap || nr == SYS_brk || nr == SYS_mremap || nr == SYS_shmat)
    return g_strdup_printf ("= 0x%" G_GINT64_MODIFIER "x", (guint64) result);
  return g_strdup_printf ("= %" G_GINT64_FORMAT, result);
}
