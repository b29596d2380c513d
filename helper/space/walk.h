/* Inside of digest.c, for its test: the same walk with a choice of how the
   kernel is asked which pages are present.  */

#ifndef RETRO_SPACE_WALK_H
#define RETRO_SPACE_WALK_H

#include "space/space.h"

/* space_foreach_page; NO_SCAN: as on kernels before Linux 6.7.  */
gboolean space_walk (const Space *space, const Task *t, gboolean no_scan, SpaceFunc func, gpointer user,
                     GError **error);

#endif
