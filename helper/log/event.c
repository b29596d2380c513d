/* Making and freeing events; what the fields mean is in event.h.

   Events are plain structures: recorder, codec and replayer fill and read
   the fields themselves.  */

#include "log/event.h"

#include <sched.h>
#include <sys/syscall.h>

static void
clear_write (gpointer data)
{
  MemWrite *write = data;

  g_clear_pointer (&write->data, g_bytes_unref);
}

static void
clear_thread (gpointer data)
{
  ThreadImage *thread = data;

  g_clear_pointer (&thread->xstate, g_bytes_unref);
}

Event *
event_new (EventKind kind, ThreadNo thread)
{
  Event *event = g_new0 (Event, 1);

  event->kind = kind;
  event->thread = thread;
  event->new_thread = NO_THREAD;
  if (kind == EV_IMAGE)
    {
      event->threads = g_array_new (FALSE, TRUE, sizeof (ThreadImage));
      g_array_set_clear_func (event->threads, clear_thread);
    }
  return event;
}

void
event_free (Event *event)
{
  if (event == NULL)
    return;
  g_clear_pointer (&event->ops, g_array_unref);
  g_clear_pointer (&event->writes, g_array_unref);
  g_clear_pointer (&event->threads, g_array_unref);
  g_clear_pointer (&event->xstate, g_bytes_unref);
  g_free (event->point);
  g_free (event);
}

void
event_add_op (Event *event, const MapOp *op)
{
  if (event->ops == NULL)
    event->ops = g_array_sized_new (FALSE, FALSE, sizeof (MapOp), 1);
  g_array_append_val (event->ops, *op);
}

static void
event_take_write (Event *event, Addr addr, GBytes *data)
{
  MemWrite write = { .addr = addr, .data = data };

  if (event->writes == NULL)
    {
      event->writes = g_array_sized_new (FALSE, FALSE, sizeof (MemWrite), 1);
      g_array_set_clear_func (event->writes, clear_write);
    }
  g_array_append_val (event->writes, write);
}

void
event_add_write (Event *event, Addr addr, gconstpointer data, gsize length)
{
  event_take_write (event, addr, g_bytes_new (data, length));
}

void
event_add_write_bytes (Event *event, Addr addr, GBytes *data)
{
  event_take_write (event, addr, g_bytes_ref (data));
}

const char *
event_kind_name (EventKind kind)
{
  static const char *const names[EV_KINDS] = {
    [EV_IMAGE] = "image",
    [EV_MEMORY] = "memory",
    [EV_SYSCALL] = "syscall",
    [EV_ENTER] = "enter",
    [EV_EXIT] = "exit",
    [EV_SIGNAL] = "signal",
    [EV_TSC] = "tsc",
    [EV_POINT] = "point",
    [EV_POKE] = "poke",
    [EV_END] = "end",
    [EV_THREAD_EXIT] = "thread-exit",
  };

  return (unsigned) kind < EV_KINDS && names[kind] != NULL ? names[kind] : "unknown";
}

gboolean
event_makes_process (const Event *event, gboolean *vfork_ret)
{
  *vfork_ret = event->nr == SYS_vfork || (event->nr == SYS_clone && (event->args[0] & CLONE_VFORK) != 0);
  return event->new_thread == NO_THREAD && event->result > 0
         && (*vfork_ret || event->nr == SYS_fork || event->nr == SYS_clone || event->nr == SYS_clone3);
}
