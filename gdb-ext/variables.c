/* $_retro_event and its kin.

   $_retro_event and $_retro_percent are of now; the others tell of the last
   reverse-watch.  All are void where there is nothing to tell, as
   $_exitcode is.  They are computed when read, so nothing has to keep them
   up to date.  */

#include "here.h"
#include "watch.h"

static void
get_event (BridgeValue *value_ret)
{
  Here here;

  if (!here_is_recording () || !here_ask (&here, NULL))
    return;
  value_ret->kind = BRIDGE_INTEGER;
  value_ret->integer = (gint64) here.now.event;
}

static void
get_percent (BridgeValue *value_ret)
{
  g_auto (Timeline) timeline = { 0 };

  if (!here_is_recording () || !timeline_ask (&timeline, NULL))
    return;
  value_ret->kind = BRIDGE_REAL;
  value_ret->real = timeline_percent (&timeline, &timeline.now);
}

static void
get_pc (BridgeValue *value_ret)
{
  if (watch_last.thread == NULL)
    return;
  value_ret->kind = BRIDGE_ADDRESS;
  value_ret->integer = (gint64) watch_last.pc;
}

static void
get_thread (BridgeValue *value_ret)
{
  if (watch_last.thread == NULL)
    return;
  value_ret->kind = BRIDGE_INTEGER;
  value_ret->integer = bridge_thread_number (watch_last.thread);
}

static void
get_probes (BridgeValue *value_ret)
{
  if (watch_last.thread == NULL)
    return;
  value_ret->kind = BRIDGE_INTEGER;
  value_ret->integer = watch_last.probes;
}

static void
get_seconds (BridgeValue *value_ret)
{
  if (watch_last.thread == NULL)
    return;
  value_ret->kind = BRIDGE_REAL;
  value_ret->real = watch_last.seconds;
}

static const struct
{
  const char *name;
  BridgeVariable variable;
} variables[] = {
  { "_retro_event", get_event },   { "_retro_percent", get_percent }, { "_retro_pc", get_pc },
  { "_retro_thread", get_thread }, { "_retro_probes", get_probes },   { "_retro_seconds", get_seconds },
};

void
variables_start (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    bridge_add_variable (variables[i].name, variables[i].variable);
}
