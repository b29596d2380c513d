/* Land before the statement.

   The search ends before an instruction, often in the middle of a line,
   sometimes in a library without lines:

     main         30  memcpy (to, from, n);      <- land here
       memcpy@plt      jmp *...
         memcpy        rep movsb                 <- the change

   GDB's own reverse-finish and reverse-next do the way back, quietly and
   with the user's breakpoints off, for they know about calls, inlining and
   the dynamic linker.  They may overshoot (code without symbols); the frame
   that we look for must stay on the stack all the way.  Else we return to
   the instruction.  */

#include "land.h"
#include "bridge.h"
#include "here.h"

enum
{
  MAX_FINISHES = 24,
  MAX_STEPS = 64
};

void
landing_clear (Landing *landing)
{
  g_clear_pointer (&landing->function, g_free);
}

/* Back to MOMENT, silently.  */
static gboolean
go_back (const Moment *moment, GError **error)
{
  g_autofree char *text = moment_format (moment);
  g_autoptr (Record) record = wire_ask (error, "QRetro:Seek:position:%s", text);

  return record != NULL && bridge_forget (record_text (record, "thread"), error);
}

/* Leave functions without lines, to the frame at STACK.  */
static gboolean
climb (guint64 stack, GError **error)
{
  for (guint i = 0; i < MAX_FINISHES; i++)
    {
      g_auto (BridgePlace) place = { 0 };

      if (!bridge_find_place (&place, error))
        return FALSE;
      if (place.caller_level < 0 || place.caller_stack != stack)
        return FALSE;
      if (place.caller_level == 0)
        return TRUE;
      if (!bridge_execute_quietly (place.at_function ? "reverse-stepi" : "reverse-finish", NULL, error))
        return FALSE;
    }
  return FALSE;
}

/* By single steps: for prologues, which reverse-next leaves.  */
static gboolean
step_back (guint64 line_start, GError **error)
{
  for (guint i = 0; i < MAX_STEPS; i++)
    {
      g_auto (BridgePlace) place = { 0 };

      if (!bridge_find_place (&place, error))
        return FALSE;
      if (place.pc == line_start)
        return TRUE;
      if (!bridge_execute_quietly ("reverse-stepi", NULL, error))
        return FALSE;
    }
  return FALSE;
}

/* To the beginning of the line.  */
static gboolean
rewind_line (GError **error)
{
  g_auto (BridgePlace) place = { 0 };
  g_auto (BridgePlace) after = { 0 };

  if (!bridge_find_place (&place, error))
    return FALSE;
  if (place.at_start || !place.has_line)
    return TRUE;
  if (place.line_start <= place.function_start)
    return step_back (place.line_start, error);
  return (bridge_execute_quietly ("reverse-next", NULL, error) && bridge_find_place (&after, error)
          && after.caller_stack == place.caller_stack && after.at_start);
}

static gboolean
land (Landing *landing, const BridgePlace *place, Moment *sure, GError **error)
{
  Here here;

  if (place->caller_level < 0)
    return TRUE;
  if (place->caller_level > 0)
    {
      if (!climb (place->caller_stack, error))
        return FALSE;
      landing->climbed = TRUE;
      if (!here_ask (&here, error))
        return FALSE;
      *sure = here.now;
    }
  return rewind_line (error);
}

gboolean
land_before_statement (Landing *landing_ret, GError **error)
{
  g_auto (BridgePlace) place = { 0 };
  g_autoptr (GError) failure = NULL;
  Here here;
  Moment sure;
  gboolean landed;

  landing_ret->climbed = FALSE;
  landing_ret->function = NULL;
  if (!here_ask (&here, error) || !bridge_find_place (&place, error))
    return FALSE;
  sure = here.now;
  landing_ret->function = g_strdup (place.function != NULL ? place.function : "??");
  bridge_suspend_breakpoints ();
  landed = land (landing_ret, &place, &sure, &failure);
  bridge_resume_breakpoints ();
  if (landed)
    return TRUE;
  if (failure != NULL && (failure->code == BRIDGE_ERROR_QUIT || failure->code == BRIDGE_ERROR_CONNECTION))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  return go_back (&sure, error);
}
