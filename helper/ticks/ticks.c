/* The life of a Ticks: see ticks.h.  */

#include "ticks/ticks.h"

#include "base/error.h"
#include "ticks/run.h"

#include <sys/mman.h>
#include <unistd.h>

static gboolean
map_memory (Ticks *ticks, GError **error)
{
  ticks->fd = memfd_create ("retro-code", MFD_CLOEXEC);
  if (ticks->fd < 0 || ftruncate (ticks->fd, (off_t) ARENA_CACHE_SIZE) != 0)
    return error_set_errno (error, "cannot make a code cache");
  gpointer base = mmap (NULL, ARENA_CACHE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, ticks->fd, 0);
  if (base == MAP_FAILED)
    return error_set_errno (error, "cannot map the code cache");
  ticks->base = base;
  return TRUE;
}

Ticks *
ticks_new (GError **error)
{
  Ticks *ticks = g_new0 (Ticks, 1);
  const guint32 part = ARENA_CACHE_SIZE / N_CODES;

  if (!map_memory (ticks, error))
    {
      if (ticks->fd >= 0)
        close (ticks->fd);
      g_free (ticks);
      return NULL;
    }
  for (guint i = 0; i < N_CODES; i++)
    {
      Code *code = &ticks->codes[i];

      cache_init (&code->cache, ticks->base, i * part, (i + 1) * part, i == CODE_COUNTED);
      source_init (&code->source, &code->cache);
      hooks_init (&code->hooks, &code->source);
    }
  return ticks;
}

void
ticks_free (Ticks *ticks)
{
  for (guint i = 0; i < N_CODES; i++)
    {
      hooks_clear (&ticks->codes[i].hooks);
      source_clear (&ticks->codes[i].source);
      cache_clear (&ticks->codes[i].cache);
    }
  munmap (ticks->base, ARENA_CACHE_SIZE);
  close (ticks->fd);
  g_free (ticks);
}

int
ticks_cache_fd (const Ticks *ticks)
{
  return ticks->fd;
}

void
ticks_flush (Ticks *ticks)
{
  for (guint i = 0; i < N_CODES; i++)
    run_flush (&ticks->codes[i]);
}

void
ticks_forget (Ticks *ticks, Addr start, Addr end)
{
  for (guint i = 0; i < N_CODES; i++)
    source_forget (&ticks->codes[i].source, start, end);
}
