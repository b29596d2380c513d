/* Temporary bridge until the translator is here.  */
#include "ticks/ticks.h"
#include "base/error.h"
#include <sys/mman.h>
#include <unistd.h>

struct _Ticks { int fd; };

Ticks *
ticks_new (GError **error)
{
  Ticks *ticks = g_new0 (Ticks, 1);
  ticks->fd = memfd_create ("retro-code", MFD_CLOEXEC);
  if (ticks->fd < 0 || ftruncate (ticks->fd, (off_t) ARENA_CACHE_SIZE) != 0)
    {
      error_set_errno (error, "cannot make a code cache");
      g_free (ticks);
      return NULL;
    }
  return ticks;
}

void ticks_free (Ticks *ticks) { close (ticks->fd); g_free (ticks); }
int ticks_cache_fd (const Ticks *ticks) { return ticks->fd; }
void ticks_flush (Ticks *ticks) { (void) ticks; }
void ticks_forget (Ticks *ticks, Addr start, Addr end) { (void) ticks; (void) start; (void) end; }

gboolean
ticks_run (Ticks *ticks, Task *task, const TicksRequest *request, TicksResult *result_ret, GError **error)
{
  (void) ticks;
  return ticks_step_run (task, request, result_ret, error);
}
