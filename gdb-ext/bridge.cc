/* The bridge, first part: loading, errors, output, packets.

   GDB loads retro.so by its JIT reader interface (jit-reader-load), the
   only loader of native code that it has.  We offer a reader that reads
   nothing; the call of gdb_init_reader is all we want.  The object stays
   in memory even after jit-reader-unload, since GDB keeps pointers to our
   commands.  */

#include "bridge-private.h"

#include <dlfcn.h>

#include "exec.h"
#include "gdbcmd.h"
#include "gdbcore.h"
#include "inferior.h"
#include "interps.h"
#include "jit-reader.h"
#include "main.h"
#include "mi/mi-interp.h"
#include "process-stratum-target.h"
#include "remote.h"
#include "serial.h"
#include "target.h"
#include "terminal.h"
#include "top.h"
#include "gdbsupport/buildargv.h"
#include "gdbsupport/filestuff.h"
#include "gdbsupport/pathstuff.h"
#include "gdbsupport/scope-exit.h"

/* ---- Loading ---- */

static enum gdb_status
read_nothing (struct gdb_reader_funcs *, struct gdb_symbol_callbacks *, void *, long)
{
  return GDB_FAIL;
}

static enum gdb_status
unwind_nothing (struct gdb_reader_funcs *, struct gdb_unwind_callbacks *)
{
  return GDB_FAIL;
}

static struct gdb_frame_id
no_frame_id (struct gdb_reader_funcs *, struct gdb_unwind_callbacks *)
{
  return {};
}

/* Are we GDB's reader now?  It has only one.  */
static bool is_reader;

static void
reader_unloaded (struct gdb_reader_funcs *)
{
  is_reader = false;
}

extern "C" {

GDB_DECLARE_GPL_COMPATIBLE_READER;

struct gdb_reader_funcs *
gdb_init_reader (void)
{
  static struct gdb_reader_funcs functions
    = { GDB_READER_INTERFACE_VERSION, NULL, read_nothing, unwind_nothing, no_frame_id, reader_unloaded };
  static bool started;
  Dl_info info;

  if (!started)
    {
      if (dladdr ((void *) gdb_init_reader, &info) != 0)
        dlopen (info.dli_fname, RTLD_NOW | RTLD_NODELETE | RTLD_NOLOAD);
      started = true;
      extension_start ();
    }
  is_reader = true;
  return &functions;
}

/* "jit-reader-load" again, from .gdbinit or for a true reader: the place is
   not needed any more.  */
gboolean
bridge_make_room_for_reader (const char *, const char *, gboolean, GError **error)
{
  return !is_reader || bridge_execute_quietly ("jit-reader-unload", NULL, error);
}

G_DEFINE_QUARK (bridge-error-quark, bridge_error)

}

/* ---- Errors ---- */

gboolean
bridge_fail (GError **error, BridgeErrorCode code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error != NULL)
    *error = g_error_new_valist (BRIDGE_ERROR, code, format, args);
  va_end (args);
  return FALSE;
}

void
bridge_throw (GError *error)
{
  std::string text = error->message;
  bool was_quit = error->code == BRIDGE_ERROR_QUIT;

  g_error_free (error);
  if (was_quit)
    throw_quit ("%s", text.c_str ());
  ::error ("%s", text.c_str ());
}

void
bridge_catch (GError **error, const gdb_exception &ex)
{
  if (error == NULL)
    return;
  BridgeErrorCode code = (ex.reason == RETURN_QUIT              ? BRIDGE_ERROR_QUIT
                          : ex.error == TARGET_CLOSE_ERROR      ? BRIDGE_ERROR_CONNECTION
                                                                : BRIDGE_ERROR_FAILED);
  *error = g_error_new_literal (BRIDGE_ERROR, code, ex.message == nullptr ? "Quit" : ex.what ());
}

/* ---- Output ---- */

void
bridge_print (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  std::string text = string_vprintf (format, args);
  va_end (args);
  bridge_guard (NULL, [&] () { gdb_puts (text.c_str ()); });
}

void
bridge_warn (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  std::string text = string_vprintf (format, args);
  va_end (args);
  bridge_guard (NULL, [&] () { warning ("%s", text.c_str ()); });
}

/* A program that stops in a function that GDB calls is shown by each
   interpreter itself: MI's has streams of its own.  */
void
bridge_call_silently (const std::function<void (void)> &func)
{
  std::string output;
  null_file nowhere;
  mi_interp *mi = dynamic_cast<mi_interp *> (top_level_interpreter ());
  ui_file *former = mi == NULL ? NULL : mi->raw_stdout;
  bool redirects = mi != NULL && mi->cli_uiout != current_uiout;

  if (mi != NULL)
    mi->raw_stdout = &nowhere;
  if (redirects)
    mi->cli_uiout->redirect (&nowhere);
  SCOPE_EXIT
  {
    if (mi != NULL)
      mi->raw_stdout = former;
    if (redirects)
      mi->cli_uiout->redirect (NULL);
  };
  execute_fn_to_string (output, func, false);
}

gboolean
bridge_is_interactive (void)
{
  return (!batch_flag && current_ui->input_interactive_p () && isatty (STDOUT_FILENO)
          && !top_level_interpreter ()->interp_ui_out ()->is_mi_like_p ());
}

void
bridge_show_progress (const char *line)
{
  bridge_guard (NULL, [&] () {
    gdb_stdout->flush ();
    gdb_stdout->write_async_safe ("\r\033[K", 4);
    if (line != NULL)
      gdb_stdout->write_async_safe (line, strlen (line));
  });
}

/* Ctrl-C that the program or the helper got is not in GDB's flag, and may have
   come too late to have an effect there.  */
static volatile sig_atomic_t interrupted;
static struct sigaction former_interrupt;

static void
note_interrupt (int signo)
{
  interrupted = 1;
  if (former_interrupt.sa_handler != SIG_DFL && former_interrupt.sa_handler != SIG_IGN)
    former_interrupt.sa_handler (signo);
}

void
bridge_watch_quit (gboolean watch)
{
  struct sigaction action;

  if (!watch)
    {
      sigaction (SIGINT, &former_interrupt, NULL);
      return;
    }
  interrupted = 0;
  sigaction (SIGINT, NULL, &former_interrupt);
  action = former_interrupt;
  action.sa_handler = note_interrupt;
  sigaction (SIGINT, &action, NULL);
}

gboolean
bridge_take_quit (void)
{
  bool quit = check_quit_flag () != 0 || interrupted != 0;

  interrupted = 0;
  return quit;
}

/* ---- Running commands ---- */

gboolean
bridge_execute (const char *command, GError **error)
{
  return bridge_guard (error, [&] () { execute_command (command, 0); });
}

gboolean
bridge_execute_quietly (const char *command, char **output_ret, GError **error)
{
  std::string output;
  gboolean good = bridge_guard (error, [&] () {
    scoped_restore no_confirm = make_scoped_restore (&confirm, false);
    /* Under MI, "show" would answer MI.  */
    scoped_restore console = make_scoped_restore (&current_uiout);
    if (current_uiout->is_mi_like_p ())
      current_uiout = interp_lookup (current_ui, INTERP_CONSOLE)->interp_ui_out ();
    execute_command_to_string (output, command, 0, false);
  });

  if (output_ret != NULL)
    *output_ret = g_strdup (output.c_str ());
  return good;
}

/* ---- The helper ---- */

gboolean
bridge_is_remote (void)
{
  return is_remote_target (current_inferior ()->process_target ());
}

gboolean
bridge_is_unconnected (void)
{
  /* The native target is pushed only while it has a process.  A core file makes
     way for whatever is run.  */
  return current_inferior ()->process_target () == NULL || (core_bfd != NULL && !target_has_execution ());
}

gboolean
bridge_has_target (void)
{
  return current_inferior ()->process_target () != NULL;
}

gboolean
bridge_has_process (void)
{
  return target_has_execution ();
}

gboolean
bridge_kill (const char *question, const char *refusal, GError **error)
{
  return bridge_guard (error, [&] () {
    if (question != NULL && !query ("%s", question))
      ::error ("%s", refusal);
    target_kill ();
  });
}

gboolean
bridge_connect (const char *command, const int *fds, guint n, GError **error)
{
  std::string line = string_printf ("target extended-remote | %s", command);
  gboolean connected;

  /* The default would fetch each library by packets and say so.  */
  if (gdb_sysroot == "target:" && !bridge_execute_quietly ("set sysroot", NULL, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    mark_fd_no_cloexec (fds[i]);
  connected = bridge_execute_quietly (line.c_str (), NULL, error);
  for (guint i = 0; i < n; i++)
    unmark_fd_no_cloexec (fds[i]);
  return connected;
}

char *
bridge_program (void)
{
  const char *name = get_exec_file (0);

  return name == NULL ? NULL : g_strdup (gdb_abspath (name).c_str ());
}

/* Collects the reply.  */
struct reply_callbacks : public send_remote_packet_callbacks
{
  std::string reply;

  void
  sending (gdb::array_view<const char> &) override
  {
  }

  void
  received (gdb::array_view<const char> &buf) override
  {
    reply.assign (buf.data (), buf.size ());
  }
};

/* While a reply is awaited, Ctrl-C becomes the protocol's interrupt.  GDB
   itself sends one only while it awaits a stop reply; its own function for it
   would remember that none has come, and offer to give up the connection at the
   next Ctrl-C.  A packet is written by one system call, so the interrupt never
   falls into the middle.  */
static volatile sig_atomic_t helper_fd = -1;

static void
interrupt_helper (int)
{
  int saved = errno;
  static const char interrupt = 3;

  interrupted = 1;
  if (helper_fd >= 0 && write (helper_fd, &interrupt, 1) != 1)
    helper_fd = -1;
  errno = saved;
}

/* The descriptor of the current target's connection; -1 if it has none.  */
static int
find_connection ()
{
  const char *name = current_inferior ()->process_target ()->connection_string ();

  for (int fd = 0; name != NULL && fd < FD_SETSIZE; fd++)
    if (struct serial *connection = serial_for_fd (fd))
      if (connection->name != NULL && strcmp (connection->name, name) == 0)
        return fd;
  return -1;
}

class scoped_interrupts
{
public:
  scoped_interrupts ()
  {
    struct sigaction action = {};

    helper_fd = find_connection ();
    action.sa_handler = interrupt_helper;
    action.sa_flags = SA_RESTART;
    sigaction (SIGINT, &action, &m_former);
  }

  ~scoped_interrupts ()
  {
    sigaction (SIGINT, &m_former, NULL);
  }

private:
  struct sigaction m_former;
};

char *
bridge_send_packet (const char *packet, GError **error)
{
  reply_callbacks callbacks;

  if (!bridge_is_remote ())
    {
      bridge_fail (error, BRIDGE_ERROR_CONNECTION, "The program is not being recorded.");
      return NULL;
    }
  gboolean good = bridge_guard (error, [&] () {
    /* A replay may take longer than the two seconds that GDB allows.  */
    scoped_restore no_timeout = make_scoped_restore (&remote_timeout, 24 * 60 * 60);
    scoped_interrupts interrupts;
    gdb::array_view<const char> view (packet, strlen (packet));
    send_remote_packet (view, &callbacks);
  });
  return good ? g_strdup (callbacks.reply.c_str ()) : NULL;
}

