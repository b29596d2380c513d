/* Where in time the user is: see here.h.

   Whether there is a recording is asked anew each time: the user may
   connect, disconnect and run as he likes, and a question is one packet
   over a local socket.  */

#include "here.h"
#include "bridge.h"
#include "undo.h"

#include <string.h>

gboolean
here_is_recording (void)
{
  Here here;

  return bridge_is_remote () && bridge_has_process () && here_ask (&here, NULL);
}

gboolean
here_check_recording (GError **error)
{
  Here here;

  if (!bridge_has_process ())
    return bridge_fail (error, BRIDGE_ERROR_FAILED, "The program is not being run.");
  return here_ask (&here, error);
}

gboolean
here_ask (Here *here_ret, GError **error)
{
  g_autoptr (Record) record = wire_ask (error, "qRetro:Position");

  if (record == NULL)
    return FALSE;
  record_moment (record, "now", &here_ret->now);
  here_ret->live = record_number (record, "live") != 0;
  here_ret->frontier = record_number (record, "frontier") != 0;
  here_ret->begin = record_number (record, "begin") != 0;
  here_ret->diversion = record_number (record, "diversion") != 0;
  here_ret->ended = record_number (record, "ended") != 0;
  here_ret->seconds = (double) record_number (record, "time") / 1e6;
  return TRUE;
}

gboolean
here_seek (const char *where, const char *command, GError **error)
{
  g_autoptr (Record) record = NULL;
  const char *thread;

  if (!here_check_recording (error))
    return FALSE;
  if (command != NULL)
    undo_begin (command);
  record = wire_ask (error, "QRetro:Seek:%s", where);
  if (record == NULL)
    return FALSE;
  thread = record_text (record, "thread");
  if (!bridge_forget (thread == NULL ? "" : thread, error))
    return FALSE;
  if (command != NULL)
    undo_moved ();
  bridge_show_stop (FALSE);
  return TRUE;
}

gboolean
timeline_ask (Timeline *timeline_ret, GError **error)
{
  g_autoptr (Record) record = NULL;

  memset (timeline_ret, 0, sizeof *timeline_ret);
  if (!here_check_recording (error))
    return FALSE;
  record = wire_ask (error, "qRetro:Timeline");
  if (record == NULL)
    return FALSE;
  record_moment (record, "begin", &timeline_ret->begin);
  record_moment (record, "now", &timeline_ret->now);
  record_moment (record, "end", &timeline_ret->end);
  timeline_ret->begin_seconds = (double) record_number (record, "begin-time") / 1e6;
  timeline_ret->now_seconds = (double) record_number (record, "now-time") / 1e6;
  timeline_ret->end_seconds = (double) record_number (record, "end-time") / 1e6;
  timeline_ret->live = record_number (record, "live") != 0;
  timeline_ret->snapshots = record_number (record, "snapshots");
  timeline_ret->snapshot_bytes = record_number (record, "snapshot-bytes");
  timeline_ret->dir = record_string (record, "dir");
  return TRUE;
}

void
timeline_clear (Timeline *timeline)
{
  g_clear_pointer (&timeline->dir, g_free);
}

double
timeline_percent (const Timeline *timeline, const Moment *moment)
{
  guint64 begin = timeline->begin.event, length = timeline->end.event - begin;

  if (length == 0)
    return moment_compare (moment, &timeline->end) == 0 ? 100 : 0;
  return 100.0 * (double) (moment->event - begin) / (double) length;
}
