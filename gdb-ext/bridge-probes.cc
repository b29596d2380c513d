/* The bridge, fifth part: catchpoints at probes of libraries that go away.

   "catch throw" stands at a probe of libstdc++.  On the way back to before
   that library was loaded, GDB frees its probes; it disables breakpoints in
   the library, but not the locations of catchpoints, and dies of the dangling
   probe when it removes them from memory.  Without the past a library goes
   away only by dlclose, which libstdc++ does not.

   So we disable those as GDB does the others: re-setting them, as it does
   when the library is loaded again, makes new ones.  */

#include "bridge-private.h"

#include "breakpoint.h"
#include "objfiles.h"
#include "observable.h"
#include "probe.h"
#include "solist.h"

void
bridge_mend_probes (void)
{
  gdb::observers::solib_unloaded.attach (
    [] (so_list *library) {
      for (bp_location *loc : all_bp_locations ())
        if (loc->probe.objfile != NULL && loc->probe.objfile == library->objfile)
          {
            loc->probe = bound_probe ();
            loc->shlib_disabled = 1;
            loc->inserted = 0;
          }
    },
    "retro");
}
