/* Land before the statement.

   The search ends before an instruction, often in the middle of a line,
   sometimes in a library without lines:

     main         30  memcpy (to, from, n);      <- land here
       memcpy@plt      jmp *...
         memcpy        rep movsb                 <- the change

   GDB knows frames and lines, the helper the way back: first to the call in
   the nearest frame that has lines, then to the beginning of its statement.
   The expression may have been good, bad and good again within the
   statement; then we stay as near to the change as it takes for it to be
   good where the user arrives.  */

#include "land.h"
#include "bridge.h"
#include "here.h"

#include <string.h>

void
landing_clear (Landing *landing)
{
  g_clear_pointer (&landing->function, g_free);
  g_clear_pointer (&landing->caller, g_free);
  bridge_result_clear (&landing->before);
}

/* The helper has moved as RECORD (taken) says.  */
static gboolean
follow (Record *record, GError **error)
{
  g_autoptr (Record) owned = record;

  return record != NULL && bridge_forget (record_text (record, "thread"), error);
}

static gboolean
is_fatal (const GError *error)
{
  return error != NULL && (error->code == BRIDGE_ERROR_QUIT || error->code == BRIDGE_ERROR_CONNECTION);
}

/* Evaluate here, into landing->before; is it good?  */
static gboolean
look (const Search *search, Landing *landing, gboolean *good_ret, GError **error)
{
  g_autoptr (GError) failure = NULL;

  bridge_result_clear (&landing->before);
  *good_ret = TRUE;
  if (bridge_expr_evaluate (search->expr, &landing->before, &failure))
    *good_ret = !search_is_bad (search, &landing->before);
  else if (is_fatal (failure))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  return TRUE;
}

/* Take one step of the way, and look: where the helper cannot, or it is bad
   there, we are back at MOMENT.  */
static gboolean
try_step (const Search *search, Landing *landing, const Moment *moment, Record *record, gboolean *done_ret,
          GError **error)
{
  g_autofree char *back = moment_format (moment);

  *done_ret = FALSE;
  if (record == NULL)
    return TRUE;
  if (!follow (record, error) || !look (search, landing, done_ret, error))
    return FALSE;
  if (*done_ret)
    return TRUE;
  bridge_result_clear (&landing->before);
  return follow (wire_ask (error, "QRetro:Seek:position:%s", back), error);
}

static Record *
ask_step (GError **error, const BridgePlace *place)
{
  if (place->level > 0)
    return wire_ask (error, "QRetro:RewindCall:%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER "x",
                     place->line_start, place->return_addr, place->stack);
  return wire_ask (error, "QRetro:Rewind:%" G_GINT64_MODIFIER "x,%" G_GINT64_MODIFIER "x", place->line_start,
                   place->line_end);
}

/* One step; *DONE_RET: it was taken.  */
static gboolean
step (const Search *search, Landing *landing, const BridgePlace *place, gboolean *done_ret, GError **error)
{
  g_autoptr (GError) failure = NULL;
  Record *record;
  Here here;

  *done_ret = FALSE;
  if (place->level < 0)
    return TRUE;
  if (!here_ask (&here, error))
    return FALSE;
  record = ask_step (&failure, place);
  if (is_fatal (failure))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  return try_step (search, landing, &here.now, record, done_ret, error);
}

gboolean
land_before_statement (const Search *search, Landing *landing_ret, GError **error)
{
  g_auto (BridgePlace) place = { 0 };
  gboolean done, good;

  memset (landing_ret, 0, sizeof *landing_ret);
  if (!bridge_find_place (&place, error))
    return FALSE;
  landing_ret->has_line = place.has_line;
  landing_ret->function = g_strdup (place.function != NULL ? place.function : "??");
  if (!step (search, landing_ret, &place, &done, error))
    return FALSE;
  if (!done && place.level > 0)
    landing_ret->caller = bridge_describe_pc (place.return_addr - 1);
  if (done && place.level > 0)
    {
      landing_ret->climbed = TRUE;
      bridge_place_clear (&place);
      if (!bridge_find_place (&place, error))
        return FALSE;
      if (place.level == 0 && !step (search, landing_ret, &place, &done, error))
        return FALSE;
    }
  /* Nothing was looked at yet where we stayed at the change.  */
  return landing_ret->before.bytes != NULL || look (search, landing_ret, &good, error);
}
