/* Checks of a replay against its log, and what is said when they fail.

   A divergence is a bug of Retro, of the machine, or a recording that was
   tampered with: the message names the event, the thread, what the log
   says and what the program did, so that the first wrong event can be
   looked at with `retro dump'.  */

#include "replay/private.h"

#include "base/error.h"
#include "sys/sys.h"

#include <string.h>

gboolean
replay_diverged (Replay *replay, const Event *event, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  return error_set (error, RETRO_ERROR_DIVERGED, "the replay diverged at event %" G_GUINT64_FORMAT " (%s of thread %u): %s",
                    replay->event, event_kind_name (event->kind), event->thread, text);
}

static void
call_args (const Regs *regs, guint64 args[6])
{
  const guint64 values[6] = { regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9 };

  memcpy (args, values, sizeof values);
}

gboolean
replay_check_call (Replay *replay, const Event *event, const Regs *regs, GError **error)
{
  gint64 nr = (gint64) regs->orig_rax;
  guint64 args[6];

  call_args (regs, args);
  if (nr == event->nr && memcmp (args, event->args, sizeof args) == 0 && regs_check (regs, TRUE) == event->check)
    return TRUE;

  g_autofree char *expected = sys_describe (event->nr, event->args);
  g_autofree char *found = sys_describe (nr, args);

  if (nr != event->nr)
    return replay_diverged (replay, event, error, "the log has the call %s, the program makes %s", expected, found);
  for (int i = 0; i < 6; i++)
    if (args[i] != event->args[i])
      return replay_diverged (replay, event, error, "argument %d differs: the log has the call %s, the program makes %s",
                              i + 1, expected, found);
  return replay_diverged (replay, event, error,
                          "registers differ at the call %s (here rip 0x%llx, rsp 0x%llx, rbp 0x%llx, rbx 0x%llx, "
                          "rflags 0x%llx, fs_base 0x%llx)",
                          expected, regs->rip, regs->rsp, regs->rbp, regs->rbx, regs->eflags, regs->fs_base);
}

gboolean
replay_check_regs (Replay *replay, const Event *event, const Regs *regs, GError **error)
{
  return regs_check (regs, FALSE) == event->check
         || replay_diverged (replay, event, error, "registers differ (here rip 0x%llx, rsp 0x%llx, rax 0x%llx)",
                             regs->rip, regs->rsp, regs->rax);
}

char *
replay_describe_event (const Event *event)
{
  static const char *const texts[EV_KINDS] = {
    [EV_TSC] = "rdtsc or cpuid",
    [EV_POINT] = "a switch of threads or stop",
  };

  if (event->kind == EV_SYSCALL || event->kind == EV_ENTER)
    {
      g_autofree char *call = sys_describe (event->nr, event->args);

      return g_strdup_printf ("the call %s", call);
    }
  if (event->kind == EV_SIGNAL)
    return g_strdup_printf ("%s", g_strsignal (event->signo));
  return g_strdup (texts[event->kind] != NULL ? texts[event->kind] : event_kind_name (event->kind));
}

char *
replay_describe_stop (RunStop stop, int signo, const Regs *regs)
{
  static const char *const texts[] = {
    [RUN_CALL] = "a call", [RUN_TRAPPED] = "rdtsc or cpuid", [RUN_SIGNAL] = "a signal", [RUN_BREAK] = "the place",
  };

  if (stop == RUN_CALL)
    {
      guint64 args[6];

      call_args (regs, args);
      g_autofree char *call = sys_describe ((gint64) regs->orig_rax, args);

      return g_strdup_printf ("the call %s at 0x%llx", call, regs->rip - 2);
    }
  if (stop == RUN_SIGNAL)
    return g_strdup_printf ("%s at 0x%llx", g_strsignal (signo), regs->rip);
  return g_strdup_printf ("%s at 0x%llx", texts[stop], regs->rip);
}
