/* Find where an expression changed: the search itself.

   Two ways.  What compiles to agent bytecode is searched by the helper
   alone.  Else the helper moves and asks, GDB evaluates and answers
   good or bad.  Either way nothing has changed for the user if it fails:
   the helper goes back, and GDB's caches are dropped once more.  */

#ifndef RETRO_SEARCH_H
#define RETRO_SEARCH_H

#include "bridge.h"
#include "here.h"

typedef struct
{
  BridgeExpr *expr;
  BridgeResult now; /* the value here, which is bad  */
  char *from;       /* as packets have it: "begin" or a position  */
  gboolean last;    /* the last change, not just one  */
} Search;

void search_clear (Search *search);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

typedef struct
{
  Moment now;
  char *thread;
  gboolean by_event; /* the change is a system call's, or a signal's  */
  char *call;        /* the system call, or NULL  */
  guint64 event, pc; /* of the change  */
  guint probes;
  double seconds;
} Found;

void found_clear (Found *found);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Found, found_clear)

/* Is RESULT as it was at the search's start?  */
gboolean search_is_bad (const Search *search, const BridgeResult *result);

/* Look at the expression where the search would start; nothing moves.
   FALSE without an error: it cannot be evaluated there.  */
gboolean search_look_at_start (const Search *search, BridgeResult *result_ret, double *seconds_ret);

/* Search; on success the helper is just before the change, and GDB knows.  */
gboolean search_run (const Search *search, Found *found_ret, GError **error);

#endif
