/* The life of a Ticks: see ticks.h.  */

#include "ticks/ticks.h"

#include "ticks/run.h"

Ticks *
ticks_new (GError **error)
{
  Ticks *ticks = g_new0 (Ticks, 1);

  if (!cache_init (&ticks->cache, error))
    {
      g_free (ticks);
      return NULL;
    }
  source_init (&ticks->source, &ticks->cache);
  hooks_init (&ticks->hooks, &ticks->source);
  return ticks;
}

void
ticks_free (Ticks *ticks)
{
  hooks_clear (&ticks->hooks);
  source_clear (&ticks->source);
  cache_clear (&ticks->cache);
  g_free (ticks);
}

int
ticks_cache_fd (const Ticks *ticks)
{
  return ticks->cache.fd;
}

void
ticks_flush (Ticks *ticks)
{
  source_forget (&ticks->source, 0, G_MAXUINT64);
  cache_flush (&ticks->cache);
}

void
ticks_forget (Ticks *ticks, Addr start, Addr end)
{
  source_forget (&ticks->source, start, end);
}
