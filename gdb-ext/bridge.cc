/* The bridge, first part: loading, errors, output, packets, what is here.

   GDB loads retro.so by its JIT reader interface (jit-reader-load), the
   only loader of native code that it has.  We offer a reader that reads
   nothing; the call of gdb_init_reader is all we want.  The object stays
   in memory even after jit-reader-unload, since GDB keeps pointers to our
   commands.

   Moving in time happens behind GDB's back: no stop reply tells it, so
   here is all that must be forgotten afterwards, after the model of what
   GDB's own record-full target and tfind do.  */

#include "bridge-private.h"

#include <dlfcn.h>

#include "breakpoint.h"
#include "cli/cli-utils.h"
#include "exec.h"
#include "gdbcmd.h"
#include "gdbcore.h"
#include "gdbthread.h"
#include "inferior.h"
#include "infrun.h"
#include "interps.h"
#include "jit-reader.h"
#include "main.h"
#include "observable.h"
#include "process-stratum-target.h"
#include "regcache.h"
#include "remote.h"
#include "solib.h"
#include "source.h"
#include "stack.h"
#include "symtab.h"
#include "target-dcache.h"
#include "target.h"
#include "terminal.h"
#include "top.h"
#include "gdbsupport/buildargv.h"
#include "gdbsupport/pathstuff.h"

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

static void
destroy_nothing (struct gdb_reader_funcs *)
{
}

extern "C" {

GDB_DECLARE_GPL_COMPATIBLE_READER;

struct gdb_reader_funcs *
gdb_init_reader (void)
{
  static struct gdb_reader_funcs functions
    = { GDB_READER_INTERFACE_VERSION, NULL, read_nothing, unwind_nothing, no_frame_id, destroy_nothing };
  static bool started;
  Dl_info info;

  if (!started)
    {
      if (dladdr ((void *) gdb_init_reader, &info) != 0)
        dlopen (info.dli_fname, RTLD_NOW | RTLD_NODELETE | RTLD_NOLOAD);
      started = true;
      extension_start ();
    }
  return &functions;
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

gboolean
bridge_take_quit (void)
{
  return check_quit_flag () != 0;
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
  /* The native target is pushed only while it has a process.  */
  return current_inferior ()->process_target () == NULL;
}

gboolean
bridge_has_process (void)
{
  return target_has_execution ();
}

gboolean
bridge_connect (const char *command, GError **error)
{
  std::string line = string_printf ("target extended-remote | %s", command);

  /* The default would fetch each library by packets and say so.  */
  if (gdb_sysroot == "target:" && !bridge_execute_quietly ("set sysroot", NULL, error))
    return FALSE;
  return bridge_execute_quietly (line.c_str (), NULL, error);
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
   itself sends one only while it awaits a stop reply.  A packet is written
   by one system call, so the interrupt never falls into the middle.  */
static void
interrupt_helper (int)
{
  int saved = errno;

  target_interrupt ();
  errno = saved;
}

class scoped_interrupts
{
public:
  scoped_interrupts ()
  {
    struct sigaction action = {};

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

/* ---- Here ---- */

/* The thread that the protocol calls TEXT, or NULL.  */
static thread_info *
find_thread (const char *text)
{
  unsigned long pid, tid;
  process_stratum_target *target = current_inferior ()->process_target ();

  if (target == NULL || sscanf (text, "p%lx.%lx", &pid, &tid) != 2)
    return NULL;
  return find_thread_ptid (target, ptid_t (pid, tid));
}

gboolean
bridge_forget (const char *thread, GError **error)
{
  return bridge_guard (error, [&] () {
    registers_changed ();
    target_dcache_invalidate ();
    reinit_frame_cache ();
    clear_exit_convenience_vars ();
    thread_info *info = find_thread (thread);
    if (info == NULL)
      {
        update_thread_list ();
        info = find_thread (thread);
      }
    if (info == NULL)
      ::error (_("The recorded program has no thread %s here."), thread);
    switch_to_thread (info);
    info->set_stop_pc (regcache_read_pc (get_thread_regcache (info)));
  });
}

void
bridge_show_stop (void)
{
  bridge_guard (NULL, [&] () {
    update_thread_list ();
    thread_info *thread = inferior_thread ();

    /* As after a stop without a reason worth a word.  */
    if (thread->has_pending_waitstatus ())
      thread->clear_pending_waitstatus ();
    bpstat_clear (&thread->control.stop_bpstat);
    thread->control.stop_step = 0;
    nullify_last_target_wait_ptid ();
    set_last_target_status (current_inferior ()->process_target (), thread->ptid,
                            target_waitstatus ().set_stopped (GDB_SIGNAL_0));
    set_current_sal_from_frame (get_current_frame ());
    gdb::observers::normal_stop.notify (NULL, 1);
  });
}

int
bridge_thread_number (const char *text)
{
  thread_info *thread = find_thread (text);

  return thread == NULL ? 0 : thread->per_inf_num;
}

int
bridge_selected_thread (void)
{
  return inferior_ptid == null_ptid ? 0 : inferior_thread ()->per_inf_num;
}

char *
bridge_describe_pc (guint64 pc)
{
  char *text = NULL;

  bridge_guard (NULL, [&] () {
    CORE_ADDR start = 0;
    const char *name = NULL;
    symtab_and_line sal = find_pc_line (pc, 0);

    find_pc_partial_function (pc, &name, &start, NULL);
    if (name == NULL)
      text = g_strdup ("??");
    else if (sal.symtab != NULL)
      text = g_strdup_printf ("%s () at %s:%d", name, symtab_to_filename_for_display (sal.symtab), sal.line);
    else if (const char *library = solib_name_from_address (current_program_space, pc))
      text = g_strdup_printf ("%s () from %s", name, library);
    else
      text = g_strdup_printf ("%s ()", name);
  });
  return text != NULL ? text : g_strdup ("??");
}

gboolean
bridge_find_place (BridgePlace *place_ret, GError **error)
{
  memset (place_ret, 0, sizeof *place_ret);
  return bridge_guard (error, [&] () {
    frame_info_ptr frame = get_current_frame ();
    symtab_and_line sal = find_frame_sal (frame);
    const char *name = NULL;
    CORE_ADDR start = 0;

    place_ret->pc = get_frame_pc (frame);
    find_pc_partial_function (place_ret->pc, &name, &start, NULL);
    place_ret->function = g_strdup (name);
    place_ret->function_start = start;
    place_ret->at_function = start == place_ret->pc;
    sal = find_pc_line (place_ret->pc, 0);
    place_ret->has_line = sal.symtab != NULL && sal.line != 0;
    place_ret->line_start = place_ret->has_line ? sal.pc : 0;
    place_ret->at_start = place_ret->has_line && sal.pc == place_ret->pc;
    place_ret->caller_level = 0;
    while (frame != NULL)
      {
        symtab_and_line where = find_frame_sal (frame);
        if (where.symtab != NULL && where.line != 0)
          {
            place_ret->caller_stack = get_frame_id (frame).stack_addr;
            return;
          }
        place_ret->caller_level++;
        frame = get_prev_frame (frame);
      }
    place_ret->caller_level = -1;
  });
}

void
bridge_place_clear (BridgePlace *place)
{
  g_clear_pointer (&place->function, g_free);
}

/* ---- Breakpoints ---- */

static int suspended;
static std::vector<int> suspended_numbers;

/* GDB inserts breakpoints afresh each time it resumes, and asks each for
   its state then; so this is enough, and no front end hears of it.  */
void
bridge_suspend_breakpoints (void)
{
  if (suspended++ > 0)
    return;
  suspended_numbers.clear ();
  for (breakpoint *b : all_breakpoints ())
    if (b->number > 0 && b->enable_state == bp_enabled)
      {
        suspended_numbers.push_back (b->number);
        b->enable_state = bp_disabled;
      }
}

void
bridge_resume_breakpoints (void)
{
  if (--suspended > 0)
    return;
  for (breakpoint *b : all_breakpoints ())
    for (int number : suspended_numbers)
      if (b->number == number)
        b->enable_state = bp_enabled;
  suspended_numbers.clear ();
}

/* ---- Observers ---- */

void
bridge_observe (const BridgeObserver *observer)
{
  gdb::observers::about_to_proceed.attach (
    [=] () {
      if (observer->about_to_move != NULL && inferior_ptid != null_ptid && !inferior_thread ()->control.in_infcall)
        observer->about_to_move ();
    },
    "retro");
  /* A new process runs on without the notice above.  */
  gdb::observers::inferior_created.attach (
    [=] (inferior *) {
      if (observer->about_to_move != NULL)
        observer->about_to_move ();
    },
    "retro");
  gdb::observers::normal_stop.attach (
    [=] (struct bpstat *, int) {
      if (observer->stopped != NULL)
        observer->stopped ();
    },
    "retro");
  gdb::observers::inferior_exit.attach (
    [=] (inferior *) {
      if (observer->gone != NULL)
        observer->gone ();
    },
    "retro");
  gdb::observers::before_prompt.attach (
    [=] (const char *) {
      if (observer->prompt != NULL)
        observer->prompt ();
    },
    "retro");
}
