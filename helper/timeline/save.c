/* Writing history, or its last part, as a recording of its own.

   A recording is an image and the log that follows it.  The image is made
   of a place (its mappings, its memory, its threads); the events after it
   are those of the log, unchanged, but for the first point, if the image
   lies inside its stretch: fewer arrivals remain until it.

   Stored files keep their numbers, for the events name them.  */

#include "timeline/private.h"

#include "base/error.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_MAX (1u << 20)

typedef struct
{
  Log *log;
  Event *event;
  gsize bytes;
} Writer;

static gboolean
flush_event (Writer *writer, GError **error)
{
  Event *event = g_steal_pointer (&writer->event);

  writer->bytes = 0;
  return event == NULL || log_append (writer->log, event, error);
}

static gboolean
add_page (Addr addr, const guint8 *data, gsize length, gpointer user, GError **error)
{
  Writer *writer = user;

  if (writer->bytes + length > CHUNK_MAX && !flush_event (writer, error))
    return FALSE;
  if (writer->event == NULL)
    writer->event = event_new (EV_MEMORY, 0);
  event_add_write (writer->event, addr, data, length);
  writer->bytes += length;
  return TRUE;
}

static void
add_mappings (Event *image, const Space *space)
{
  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);
      const MapOp op = { .kind = MAP_OP_MAP, .addr = m->start, .length = m->end - m->start, .prot = m->prot,
                         .flags = m->flags, .file = m->file, .offset = m->offset };

      event_add_op (image, &op);
    }
}

/* The vdso is code that no digest takes in: it goes with the image.  */
static gboolean
add_special (Writer *writer, const Space *space, const Task *task, GError **error)
{
  for (guint i = 0; i < space->maps->len; i++)
    {
      const Mapping *m = &g_array_index (space->maps, Mapping, i);
      gsize length = m->end - m->start, got;

      if (!(m->flags & MAP_SPECIAL_) || length > CHUNK_MAX)
        continue;

      g_autofree guint8 *data = g_malloc (length);

      got = task_read_some (task, m->start, data, length);
      if (got != 0 && !add_page (m->start, data, got, writer, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_threads (Event *image, Session *session, Replay *replay, GError **error)
{
  const GPtrArray *threads = replay_threads (replay);
  ThreadNo current = replay_current (replay);

  for (guint i = 0; i < threads->len; i++)
    {
      const ReplayThread *thread = g_ptr_array_index (threads, i);
      ThreadImage copy = { .thread = thread->no, .tid = thread->tid, .in_call = thread->in_call };

      if (thread->gone)
        continue;
      if (!replay_get_regs (replay, i, &copy.regs, error)
          || (copy.xstate = replay_get_xstate (replay, i, error)) == NULL)
        return FALSE;
      memcpy (copy.name, thread->name, sizeof copy.name);
      g_array_append_val (image->threads, copy);
    }
  (void) current;
  (void) session;
  return TRUE;
}

static gboolean
write_image (Session *session, Log *log, Place *place, GError **error)
{
  Replay *replay = place->replay;
  g_autoptr (Event) image = event_new (EV_IMAGE, replay_current (replay));
  Writer writer = { .log = log };
  gboolean ok;

  image->time = session_time (session, replay_event (replay));
  add_mappings (image, replay_space (replay));
  if (!add_threads (image, session, replay, error))
    return FALSE;
  writer.event = g_steal_pointer (&image);
  ok = add_special (&writer, replay_space (replay), replay_task (replay), error)
       && space_foreach_page (replay_space (replay), replay_task (replay), add_page, &writer, error)
       && flush_event (&writer, error);
  g_clear_pointer (&writer.event, event_free);
  return ok;
}

/* A copy that shares all data.  */
static Event *
copy_event (const Event *event)
{
  Event *copy = g_memdup2 (event, sizeof *event);

  if (copy->ops != NULL)
    g_array_ref (copy->ops);
  if (copy->writes != NULL)
    g_array_ref (copy->writes);
  if (copy->threads != NULL)
    g_array_ref (copy->threads);
  if (copy->xstate != NULL)
    g_bytes_ref (copy->xstate);
  if (copy->point != NULL)
    copy->point = g_memdup2 (copy->point, sizeof *copy->point);
  return copy;
}

static gboolean
write_events (Session *session, Log *log, EventNo first, guint64 arrivals, GError **error)
{
  for (EventNo i = first; i < log_length (session->log); i++)
    {
      const Event *event = log_get (session->log, i, error);
      Event *copy;

      if (event == NULL)
        return FALSE;
      copy = copy_event (event);
      if (i == first && copy->point != NULL && copy->point->arrivals > arrivals)
        copy->point->arrivals -= arrivals;
      if (!log_append (log, copy, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
copy_files (Session *session, Log *log, GError **error)
{
  for (guint32 i = 0; i < log_n_files (session->log); i++)
    {
      g_autofree char *path = log_file_path (session->log, i);
      guint32 number;
      int fd = open (path, O_RDONLY | O_CLOEXEC);
      gboolean ok;

      if (fd < 0)
        return error_set_errno (error, "cannot open %s", path);
      ok = log_add_file (log, fd, log_file_name (session->log, i), &number, error);
      close (fd);
      if (!ok)
        return FALSE;
      if (number != i)
        return error_set (error, RETRO_ERROR_FAILED, "the stored files of the recording are not what they were");
    }
  return TRUE;
}

static gboolean
make_empty_dir (const char *dir, GError **error)
{
  g_autoptr (GDir) entries = NULL;

  if (g_mkdir_with_parents (dir, 0700) != 0)
    return error_set_errno (error, "cannot make %s", dir);
  entries = g_dir_open (dir, 0, error);
  if (entries == NULL)
    return FALSE;
  return g_dir_read_name (entries) == NULL || error_set (error, RETRO_ERROR_USAGE, "%s is not empty", dir);
}

gboolean
session_save (Session *session, const char *dir, const Position *from, GError **error)
{
  const Position *start = from != NULL ? from : &session->begin;
  g_autoptr (Place) place = NULL;
  Log *log;
  gboolean ok;

  if (position_compare (start, &session->begin) < 0)
    start = &session->begin;
  if (!make_empty_dir (dir, error))
    return FALSE;
  place = seek_place (session, start, FALSE, error);
  if (place == NULL)
    return FALSE;
  log = log_create (dir, log_header (session->log), error);
  if (log == NULL)
    return FALSE;
  ok = copy_files (session, log, error) && write_image (session, log, place, error)
       && write_events (session, log, replay_event (place->replay), replay_arrivals (place->replay), error);
  return log_close (log, ok ? error : NULL) && ok;
}
