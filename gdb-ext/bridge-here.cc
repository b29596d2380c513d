/* The bridge, fifth part: what is here, and what happens to the program.

   Moving in time happens behind GDB's back: no stop reply tells it, so
   here is all that must be forgotten afterwards, after the model of what
   GDB's own record-full target and tfind do.  */

#include "bridge-private.h"

#include <unordered_map>
#include <unistd.h>

#include "block.h"
#include "breakpoint.h"
#include "cli/cli-cmds.h"
#include "cli/cli-decode.h"
#include "gdbthread.h"
#include "inferior.h"
#include "infrun.h"
#include "inline-frame.h"
#include "observable.h"
#include "process-stratum-target.h"
#include "regcache.h"
#include "solib.h"
#include "source.h"
#include "stack.h"
#include "symtab.h"
#include "target-dcache.h"
#include "target.h"

/* ---- Here ---- */

/* What the protocol calls TEXT.  */
static ptid_t
parse_thread (const char *text)
{
  unsigned long pid, tid;

  if (sscanf (text, "p%lx.%lx", &pid, &tid) != 2)
    ::error (_("There is no thread here."));
  return ptid_t (pid, tid);
}

/* NULL if GDB does not know it.  */
static thread_info *
find_thread (const char *text)
{
  process_stratum_target *target = current_inferior ()->process_target ();

  return target == NULL || *text != 'p' ? NULL : find_thread_ptid (target, parse_thread (text));
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
      info = add_thread_silent (current_inferior ()->process_target (), parse_thread (thread));
    switch_to_thread (info);
    clear_inline_frame_state (info);
    info->set_stop_pc (regcache_read_pc (get_thread_regcache (info)));
  });
}

void
bridge_show_stop (gboolean inside)
{
  bridge_guard (NULL, [&] () {
    /* They are not new, nor have they exited.  */
    scoped_restore silent = make_scoped_restore (&print_thread_events, false);
    update_thread_list ();
    /* At the beginning there were none.  */
    solib_add (NULL, 0, auto_solib_add);
    thread_info *thread = inferior_thread ();

    if (!inside)
      {
        reinit_frame_cache ();
        clear_inline_frame_state (thread);
        skip_inline_frames (thread, NULL);
      }
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

struct _BridgeSelection
{
  ptid_t thread = null_ptid;
  frame_id frame = null_frame_id;
  int level = -1;
};

BridgeSelection *
bridge_selection_new (void)
{
  BridgeSelection *selection = new BridgeSelection;

  bridge_guard (NULL, [&] () {
    selection->thread = inferior_ptid;
    save_selected_frame (&selection->frame, &selection->level);
  });
  return selection;
}

void
bridge_selection_restore (const BridgeSelection *selection)
{
  bridge_guard (NULL, [&] () {
    process_stratum_target *target = current_inferior ()->process_target ();
    thread_info *thread = target == NULL ? NULL : find_thread_ptid (target, selection->thread);

    if (thread == NULL)
      return;
    switch_to_thread (thread);
    restore_selected_frame (selection->frame, selection->level);
  });
}

void
bridge_selection_free (BridgeSelection *selection)
{
  delete selection;
}

int
bridge_thread_number (const char *text)
{
  int number = 0;

  bridge_guard (NULL, [&] () {
    thread_info *thread = find_thread (text);

    number = thread == NULL ? 0 : thread->per_inf_num;
  });
  return number;
}

/* The numbers that threads of this process had.  */
static std::unordered_map<ptid_t, int, hash_ptid> thread_numbers;

void
bridge_keep_thread_numbers (void)
{
  gdb::observers::new_thread.attach (
    [] (thread_info *thread) {
      auto former = thread_numbers.emplace (thread->ptid, thread->per_inf_num);

      if (former.second)
        return;
      thread->per_inf_num = former.first->second;
      thread->inf->highest_thread_num--;
    },
    "retro");
  gdb::observers::inferior_exit.attach ([] (inferior *) { thread_numbers.clear (); }, "retro");
}

int
bridge_selected_thread (void)
{
  return inferior_ptid == null_ptid ? 0 : inferior_thread ()->per_inf_num;
}

/* The function at PC as the user knows it, or NULL.  */
static const char *
find_name (CORE_ADDR pc)
{
  const general_symbol_info *symbol;

  return find_pc_partial_function_sym (pc, &symbol, NULL, NULL) ? symbol->print_name () : NULL;
}

char *
bridge_describe_pc (guint64 pc)
{
  char *text = NULL;

  bridge_guard (NULL, [&] () {
    const char *name = NULL;
    symtab_and_line sal = find_pc_line (pc, 0);
    /* Of an inlined function the line is inside, so its name, too.  */
    const block *inside = block_for_pc (pc);
    symbol *function = inside == NULL ? NULL : block_containing_function (inside);

    if (function != NULL)
      name = function->print_name ();
    else
      name = find_name (pc);
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

/* Can the user be shown SAL's source?  */
static bool
has_source (const symtab_and_line &sal)
{
  return sal.symtab != NULL && access (symtab_to_fullname (sal.symtab), R_OK) == 0;
}

gboolean
bridge_find_place (BridgePlace *place_ret, GError **error)
{
  memset (place_ret, 0, sizeof *place_ret);
  place_ret->level = -1;
  return bridge_guard (error, [&] () {
    frame_info_ptr frame = get_current_frame ();
    CORE_ADDR callee_stack = 0;

    place_ret->pc = get_frame_pc (frame);
    place_ret->function = g_strdup (find_name (place_ret->pc));
    for (int level = 0; frame != NULL; level++, frame = get_prev_frame (frame))
      {
        CORE_ADDR pc = get_frame_pc (frame);
        /* A return address may be in the next line already.  */
        symtab_and_line sal = find_pc_line (pc, level > 0);
        bool has_line = sal.symtab != NULL && sal.line != 0;

        if (level == 0)
          place_ret->has_line = has_line;
        if (has_line && (place_ret->level < 0 || has_source (sal)))
          {
            place_ret->level = level;
            place_ret->line_start = sal.pc;
            place_ret->line_end = sal.end;
            place_ret->return_addr = pc;
            place_ret->stack = callee_stack;
          }
        if (has_line && has_source (sal))
          return;
        callee_stack = get_frame_id (frame).stack_addr;
      }
  });
}

void
bridge_place_clear (BridgePlace *place)
{
  g_clear_pointer (&place->function, g_free);
}

/* ---- While a search evaluates ---- */

gboolean
bridge_set_unwinding (gboolean unwinds)
{
  gboolean former = FALSE;

  bridge_guard (NULL, [&] () {
    cmd_list_element *c = lookup_cmd_exact ("unwindonsignal", setlist);

    former = c->var->get<bool> ();
    c->var->set<bool> (unwinds);
  });
  return former;
}

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
