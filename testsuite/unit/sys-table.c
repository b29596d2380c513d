/* The table of system calls: every call has a sane row, and a text.  */

#include "sys/rows.h"

#include <signal.h>
#include <string.h>

/* Every call of the kernel has a row, and every row is sane.  */
static void
test_table (void)
{
  for (int nr = 0; nr <= 470; nr++)
    {
      const SysRow *row = sys_row (nr);
      if (nr > 336 && nr < 424)
        {
          g_assert_null (row->name);
          continue;
        }
      if (row->name == NULL)
        g_error ("no row for call %d", nr);
      g_assert_cmpint (strlen (row->arg_format), <=, 6);
      g_assert_cmpint (strspn (row->arg_format, "dluxopsfg"), ==, strlen (row->arg_format));
      g_assert_true (!(row->flags & SYS_DENY) == (row->deny == 0));
      for (guint i = 0; i < G_N_ELEMENTS (row->outs); i++)
        {
          g_assert_cmpint (row->outs[i].arg, <, 6);
          g_assert_cmpint (row->outs[i].n, <, 6);
          g_assert_true (row->outs[i].kind != OUT_FIXED || row->outs[i].size > 0);
        }
    }
  g_assert_cmpint (sys_row (-1)->deny, ==, ENOSYS);
  g_assert_cmpint (sys_row (G_MAXINT64)->deny, ==, ENOSYS);
}

static void
test_describe (void)
{
  const struct
  {
    gint64 nr;
    guint64 args[6];
    const char *text;
  } cases[] = {
    { SYS_openat, { (guint64) -100, 0x1000, 0x80000, 0644 }, "openat (AT_FDCWD, 0x1000, 0x80000, 0644)" },
    { SYS_kill, { 12, SIGSEGV }, "kill (12, SIGSEGV)" },
    { SYS_lseek, { 3, (guint64) -5, 1 }, "lseek (3, -5, 1)" },
    { SYS_sync, { 0 }, "sync ()" },
    { 999, { 1, 16 }, "syscall 999 (1, 0x10, 0, 0, 0, 0)" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = sys_describe (cases[i].nr, cases[i].args);
      g_assert_cmpstr (text, ==, cases[i].text);
    }
  g_autofree char *failed = sys_describe_result (SYS_read, -EAGAIN);
  g_autofree char *restart = sys_describe_result (SYS_read, -512);
  g_autofree char *number = sys_describe_result (SYS_read, 12);
  g_autofree char *address = sys_describe_result (SYS_mmap, 0x7ffff7fc1000);
  g_assert_cmpstr (failed, ==, "= -EAGAIN");
  g_assert_cmpstr (restart, ==, "= -ERESTARTSYS");
  g_assert_cmpstr (number, ==, "= 12");
  g_assert_cmpstr (address, ==, "= 0x7ffff7fc1000");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sys/table", test_table);
  g_test_add_func ("/sys/describe", test_describe);
  return g_test_run ();
}
