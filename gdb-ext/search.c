/* The search: see search.h.

   An expression that cannot be evaluated at a moment, because data is not
   there yet or a function that it calls crashes, counts as good there.  */

#include "search.h"

#include <math.h>
#include <string.h>

void
search_clear (Search *search)
{
  g_clear_pointer (&search->expr, bridge_expr_free);
  bridge_result_clear (&search->now);
  g_clear_pointer (&search->from, g_free);
}

void
found_clear (Found *found)
{
  g_clear_pointer (&found->thread, g_free);
  g_clear_pointer (&found->call, g_free);
}

/* ---- Progress ---- */

static gboolean
shows_progress (void)
{
  const char *setting = bridge_get_setting ("progress");

  return strcmp (setting, "on") == 0 || (strcmp (setting, "auto") == 0 && bridge_is_interactive ());
}

static void
show_progress (const Record *record)
{
  g_autofree char *line = NULL;

  if (!shows_progress () || !bridge_is_interactive ())
    return;
  line = g_strdup_printf ("%" G_GUINT64_FORMAT " probes, between events %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT
                          "... ",
                          record_number (record, "probes"), record_number (record, "low"),
                          record_number (record, "high"));
  bridge_show_progress (line);
}

static void
announce (const Search *search)
{
  g_auto (Timeline) timeline = { 0 };
  Moment from = { .event = 0 };
  double seconds;

  if (!shows_progress () || !timeline_ask (&timeline, NULL))
    return;
  if (strcmp (search->from, "begin") == 0)
    from = timeline.begin;
  else
    from.event = g_ascii_strtoull (search->from, NULL, 16);
  seconds = timeline.now_seconds - timeline.begin_seconds;
  if (timeline.now.event > timeline.begin.event)
    seconds *= (double) (timeline.now.event - from.event) / (double) (timeline.now.event - timeline.begin.event);
  bridge_print ("Searching %" G_GUINT64_FORMAT " events and %.2f s of execution...\n",
                timeline.now.event - from.event, seconds);
}

/* ---- Judging ---- */

gboolean
search_is_bad (const Search *search, const BridgeResult *result)
{
  if (bridge_expr_is_condition (search->expr))
    return result->truth == search->now.truth;
  return g_bytes_equal (result->bytes, search->now.bytes);
}

/* What is it here?  FALSE with an error ends the search.  */
static gboolean
judge (const Search *search, const Record *probe, gboolean *bad_ret, GError **error)
{
  g_auto (BridgeResult) result = { 0 };
  g_autoptr (GError) failure = NULL;
  const char *thread = record_text (probe, "thread");

  *bad_ret = FALSE;
  if (!bridge_forget (thread == NULL ? "" : thread, error))
    return FALSE;
  if (bridge_expr_evaluate (search->expr, &result, &failure))
    {
      *bad_ret = search_is_bad (search, &result);
      return TRUE;
    }
  if (failure->code != BRIDGE_ERROR_QUIT && failure->code != BRIDGE_ERROR_CONNECTION)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* Answer probes until there is a result.  */
static Record *
answer_probes (const Search *search, Record *record, GError **error)
{
  while (record != NULL && strcmp (record_word (record), "probe") == 0)
    {
      gboolean bad;
      gboolean judged;

      show_progress (record);
      judged = judge (search, record, &bad, error);
      if (judged && bridge_take_quit ())
        judged = bridge_fail (error, BRIDGE_ERROR_QUIT, "Quit");
      record_free (record);
      if (!judged)
        {
          record = wire_ask (NULL, "QRetro:SearchNext:stop");
          g_clear_pointer (&record, record_free);
          return NULL;
        }
      record = wire_ask (error, "QRetro:SearchNext:%s", bad ? "bad" : "good");
    }
  return record;
}

static Record *
search_by_gdb (const Search *search, GError **error)
{
  return answer_probes (search, wire_ask (error, "QRetro:SearchBegin:%s", search->from), error);
}

static Record *
search_by_helper (const Search *search, GBytes *code, GError **error)
{
  g_autofree char *hex = wire_hex_bytes (code);
  Record *record = wire_ask (error, search->last ? "QRetro:Last:%s:%s" : "QRetro:SearchProgress:%s:%s", search->from,
                             hex);

  while (record != NULL && strcmp (record_word (record), "progress") == 0)
    {
      gboolean quit = bridge_take_quit ();

      show_progress (record);
      record_free (record);
      record = wire_ask (error, "QRetro:SearchNext:%s", quit ? "stop" : "");
    }
  return record;
}

/* ---- The whole ---- */

static void
parse_found (const Record *record, Found *found_ret)
{
  record_moment (record, "now", &found_ret->now);
  found_ret->thread = g_strdup (record_text (record, "thread"));
  found_ret->by_event = record_number (record, "by-event") != 0;
  found_ret->call = record_string (record, "call");
  found_ret->event = record_number (record, "event");
  found_ret->pc = record_number (record, "pc");
  found_ret->probes = (guint) record_number (record, "probes");
}

/* After a failure: the helper is back where it was.  */
static void
forget_all (void)
{
  g_autoptr (Record) record = wire_ask (NULL, "qRetro:Position");

  if (record != NULL && record_text (record, "thread") != NULL)
    bridge_forget (record_text (record, "thread"), NULL);
}

gboolean
search_look_at_start (const Search *search, BridgeResult *result_ret, double *seconds_ret)
{
  g_autoptr (Record) probe = NULL;
  gboolean good = FALSE;

  probe = wire_ask (NULL, "QRetro:SearchBegin:%s", search->from);
  if (probe != NULL && strcmp (record_word (probe), "probe") == 0)
    {
      const char *thread = record_text (probe, "thread");

      *seconds_ret = (double) record_number (probe, "time") / 1e6;
      good = bridge_forget (thread == NULL ? "" : thread, NULL)
             && bridge_expr_evaluate (search->expr, result_ret, NULL);
      record_free (wire_ask (NULL, "QRetro:SearchNext:stop"));
    }
  forget_all ();
  return good;
}

static char *
say_duration (double seconds)
{
  static const struct
  {
    double seconds;
    const char *name;
  } units[] = { { 86400, "days" }, { 3600, "hours" }, { 60, "minutes" }, { 1, "seconds" } };
  guint i = 0;

  while (i + 1 < G_N_ELEMENTS (units) && seconds < 2 * units[i].seconds)
    i++;
  return g_strdup_printf ("%.0f %s", ceil (seconds / units[i].seconds), units[i].name);
}

/* -last would take an evaluation at each instruction: say what that costs,
   from one evaluation here and a billion instructions a second.  */
static gboolean
refuse_last (const Search *search, const char *reason, GError **error)
{
  g_auto (Timeline) timeline = { 0 };
  g_auto (BridgeResult) result = { 0 };
  gint64 start = g_get_monotonic_time ();
  g_autofree char *time = NULL;
  double each;

  bridge_expr_evaluate (search->expr, &result, NULL);
  each = (double) (g_get_monotonic_time () - start) / 1e6;
  if (!timeline_ask (&timeline, error))
    return FALSE;
  time = say_duration ((timeline.now_seconds - timeline.begin_seconds) * 1e9 * each);
  return bridge_fail (error, BRIDGE_ERROR_FAILED,
                      "\"-last\" needs an expression that compiles to agent bytecode (%s).  Else it would take an "
                      "evaluation, %.2g ms here, at each instruction of %.2g s: some %s.",
                      reason, each * 1e3, timeline.now_seconds - timeline.begin_seconds, time);
}

gboolean
search_run (const Search *search, Found *found_ret, GError **error)
{
  g_autoptr (GError) compile_error = NULL;
  g_autoptr (GBytes) code = bridge_expr_compile (search->expr, &search->now, &compile_error);
  g_autoptr (Record) record = NULL;
  gint64 start = g_get_monotonic_time ();

  memset (found_ret, 0, sizeof *found_ret);
  if (search->last && code == NULL)
    return refuse_last (search, compile_error->message, error);
  announce (search);
  record = code != NULL ? search_by_helper (search, code, error) : search_by_gdb (search, error);
  if (bridge_is_interactive ())
    bridge_show_progress (NULL);
  if (record == NULL)
    {
      forget_all ();
      return FALSE;
    }
  parse_found (record, found_ret);
  found_ret->seconds = (double) (g_get_monotonic_time () - start) / 1e6;
  return bridge_forget (found_ret->thread == NULL ? "" : found_ret->thread, error);
}
