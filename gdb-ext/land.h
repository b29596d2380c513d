/* From the instruction that changed something to a statement that the user
   can look at: see land.c.  */

#ifndef RETRO_LAND_H
#define RETRO_LAND_H

#include "search.h"

typedef struct
{
  gboolean climbed;    /* the change is in code that cannot be shown, called from here  */
  gboolean has_line;   /* ... since its source is missing, not its lines  */
  char *function;      /* where the change is; "??" if unknown  */
  char *caller;        /* not climbed to, since the change is no change there; or NULL  */
  BridgeResult before; /* the expression's value here; no bytes: not evaluable  */
} Landing;

void landing_clear (Landing *landing);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Landing, landing_clear)

/* We are before the instruction; go to the beginning of its statement, or
   of the nearest caller's that has lines.  Where that does not work, or
   SEARCH's expression has its later value there already, we stay.  */
gboolean land_before_statement (const Search *search, Landing *landing_ret, GError **error);

#endif
