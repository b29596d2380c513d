/* Stop replies: what happened, in GDB's words.

   T SIG and pairs: the reason, the thread, and the registers that GDB
   asks for first.  A row for each kind of stop.  Signals have GDB's own
   numbers in the protocol (gdb/signals.def), not the host's.  */

#include "rsp/server.h"

#include <signal.h>
#include <string.h>

#define GDB_SIGNAL_UNKNOWN 143

static const guint8 signals[] = {
  [SIGHUP] = 1,   [SIGINT] = 2,   [SIGQUIT] = 3,  [SIGILL] = 4,    [SIGTRAP] = 5,  [SIGABRT] = 6,  [SIGBUS] = 10,
  [SIGFPE] = 8,   [SIGKILL] = 9,  [SIGUSR1] = 30, [SIGSEGV] = 11,  [SIGUSR2] = 31, [SIGPIPE] = 13, [SIGALRM] = 14,
  [SIGTERM] = 15, [SIGCHLD] = 20, [SIGCONT] = 19, [SIGSTOP] = 17,  [SIGTSTP] = 18, [SIGTTIN] = 21, [SIGTTOU] = 22,
  [SIGURG] = 16,  [SIGXCPU] = 24, [SIGXFSZ] = 25, [SIGVTALRM] = 26, [SIGPROF] = 27, [SIGWINCH] = 28, [SIGIO] = 23,
  [SIGPWR] = 32,  [SIGSYS] = 12,
};

int
signal_to_gdb (int signo)
{
  if (signo == 0)
    return 0;
  if (signo > 0 && signo < (int) G_N_ELEMENTS (signals) && signals[signo] != 0)
    return signals[signo];
  if (signo == 32)
    return 77;
  if (signo >= 33 && signo <= 63)
    return 45 + signo - 33;
  return signo == 64 ? 78 : GDB_SIGNAL_UNKNOWN;
}

int
signal_from_gdb (int number)
{
  for (int signo = 1; signo <= 64; signo++)
    if (number != GDB_SIGNAL_UNKNOWN && signal_to_gdb (signo) == number)
      return signo;
  return 0;
}

/* Each adds its pair, "name:value;", to a reply.  */
typedef void (*ReasonFunc) (Server *server, const Stop *stop, GString *out);

static void
put_break (Server *server, const Stop *stop, GString *out)
{
  int kind = trap_table_kind (server->traps, stop->addr);

  if (kind == 0 && server->client.swbreak)
    g_string_append (out, "swbreak:;");
  else if (kind == 1 && server->client.hwbreak)
    g_string_append (out, "hwbreak:;");
}

static void
put_watch (Server *server G_GNUC_UNUSED, const Stop *stop, GString *out)
{
  const char *name = stop->watch == SESSION_WATCH_READ ? "rwatch" : stop->watch == SESSION_WATCH_ACCESS ? "awatch" : "watch";

  g_string_append_printf (out, "%s:%" G_GINT64_MODIFIER "x;", name, stop->addr);
}

static void
put_begin (Server *server G_GNUC_UNUSED, const Stop *stop G_GNUC_UNUSED, GString *out)
{
  g_string_append (out, "replaylog:begin;");
}

static void
put_end_of_log (Server *server G_GNUC_UNUSED, const Stop *stop G_GNUC_UNUSED, GString *out)
{
  g_string_append (out, "replaylog:end;");
}

static void
put_entry (Server *server G_GNUC_UNUSED, const Stop *stop, GString *out)
{
  g_string_append_printf (out, "syscall_entry:%" G_GINT64_MODIFIER "x;", (guint64) stop->nr);
}

static void
put_return (Server *server G_GNUC_UNUSED, const Stop *stop, GString *out)
{
  g_string_append_printf (out, "syscall_return:%" G_GINT64_MODIFIER "x;", (guint64) stop->nr);
}

static void
put_fork (Server *server, const Stop *stop, GString *out)
{
  g_string_append (out, stop->kind == STOP_VFORK ? "vfork:" : "fork:");
  if (server->client.multiprocess)
    g_string_append_printf (out, "p%x.%x;", (guint) stop->pid, (guint) stop->pid);
  else
    g_string_append_printf (out, "%x;", (guint) stop->pid);
}

static void
put_create (Server *server G_GNUC_UNUSED, const Stop *stop G_GNUC_UNUSED, GString *out)
{
  g_string_append (out, "create:;");
}

static void
put_exec (Server *server, const Stop *stop G_GNUC_UNUSED, GString *out)
{
  g_autofree char *path = session_exec_file (server->session);

  g_string_append (out, "exec:");
  put_hex_string (out, path != NULL ? path : "");
  g_string_append_c (out, ';');
}

#define BY_SIGNO (-1)

static const struct
{
  int signal; /* GDB's number or BY_SIGNO  */
  ReasonFunc put;
} reasons[] = {
  [STOP_STEP] = { 5, NULL },
  [STOP_BREAK] = { 5, put_break },
  [STOP_WATCH] = { 5, put_watch },
  [STOP_SIGNAL] = { BY_SIGNO, NULL },
  [STOP_BEGIN] = { 5, put_begin },
  [STOP_END] = { 5, put_end_of_log },
  [STOP_EXITED] = { 5, put_end_of_log },
  [STOP_KILLED] = { 5, put_end_of_log },
  [STOP_SYSCALL_ENTRY] = { 5, put_entry },
  [STOP_SYSCALL_RETURN] = { 5, put_return },
  [STOP_FORK] = { 5, put_fork },
  [STOP_VFORK] = { 5, put_fork },
  [STOP_CLONE] = { 5, put_create },
  [STOP_EXEC] = { 5, put_exec },
  [STOP_THREAD_EXIT] = { 5, NULL },
  [STOP_INTERRUPT] = { 2, NULL },
  [STOP_ERROR] = { 0, NULL },
};

static void
put_expedited (Server *server, ThreadNo thread, GString *out)
{
  static const guint numbers[] = { REGNO_RBP, REGNO_RSP, REGNO_RIP };
  RegState state = { .xstate = NULL };

  if (!writes_get_state (server->writes, thread, &state, NULL))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      guint8 value[REGNO_MAX_SIZE];

      registers_get (&state, numbers[i], value);
      g_string_append_printf (out, "%02x:", numbers[i]);
      put_hex (out, value, registers_size (numbers[i]));
      g_string_append_c (out, ';');
    }
  reg_state_clear (&state);
}

void
put_stop (Server *server, GString *out)
{
  const Stop *stop = &server->stop;
  ThreadNo thread = stop->kind == STOP_CLONE ? stop->new_thread : stop->thread;
  int number = reasons[stop->kind].signal;

  if (thread == NO_THREAD || !server_thread_is_alive (server, thread))
    thread = session_current_thread (server->session);
  g_string_append_printf (out, "T%02x", number == BY_SIGNO ? signal_to_gdb (stop->signo) : number);
  if (reasons[stop->kind].put != NULL)
    reasons[stop->kind].put (server, stop, out);
  g_string_append (out, "thread:");
  put_thread (server, out, thread);
  g_string_append (out, ";core:0;");
  put_expedited (server, thread, out);
}
