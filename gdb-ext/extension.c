/* Everything the extension adds to GDB, registered when it is loaded.

   One line in .gdbinit does that:

     jit-reader-load /usr/local/lib/retro/retro.so

   Each file of gdb-ext has a start function for its commands, settings and
   observers; nothing else happens until the user runs something.  Loading it
   twice (by .gdbinit and by "retro gdb") is the same as once.  */

#include "here.h"
#include "bridge.h"
#include "undo.h"

static const char help[]
  = "Recording programs and going back in time.\n"
    "\n"
    "Programs that GDB runs or attaches to are recorded (unless \"set retro record\n"
    "off\").  From then on all of GDB's reverse execution commands work, and those\n"
    "listed below.  \"reverse-watch EXPR\" finds the statement that changed EXPR.\n"
    "\n"
    "See also \"info retro\", \"info timeline\", \"info history\", \"info checkpoints\",\n"
    "\"delete checkpoint\", \"save recording\" and \"show retro\".";

static const BridgeWrap load = { "", "jit-reader-load", bridge_make_room_for_reader, NULL };

void
extension_start (void)
{
  static void (*const starts[]) (void) = {
    settings_start, connect_start,   undo_start, checkpoint_start,
    timeline_start, variables_start, watch_start, bridge_allow_calls_in_reverse,
    bridge_keep_thread_numbers, bridge_watch_calls, bridge_mend_probes,
  };

  bridge_add_topic ("retro", help);
  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    starts[i] ();
  bridge_wrap_command (&load);
}
