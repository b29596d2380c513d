/* Checkpoints: positions with a number and perhaps a name.

   Each keeps a snapshot pinned, so going there is immediate.  */

#include "timeline/private.h"

#include "base/error.h"

#include <stdlib.h>

static void
checkpoint_free (gpointer data)
{
  Checkpoint *checkpoint = data;

  g_free (checkpoint->name);
  g_free (checkpoint);
}

const GPtrArray *
session_checkpoints (Session *session)
{
  if (session->checkpoints == NULL)
    session->checkpoints = g_ptr_array_new_with_free_func (checkpoint_free);
  return session->checkpoints;
}

static Checkpoint *
find (Session *session, const char *text)
{
  char *end;
  long number = strtol (text, &end, 10);

  session_checkpoints (session);
  for (guint i = 0; i < session->checkpoints->len; i++)
    {
      Checkpoint *checkpoint = g_ptr_array_index (session->checkpoints, i);

      if ((*text != 0 && *end == 0 && checkpoint->number == number) || g_strcmp0 (checkpoint->name, text) == 0)
        return checkpoint;
    }
  return NULL;
}

const Checkpoint *
session_checkpoint (Session *session, const char *name, GError **error)
{
  Place *place = session->history != NULL ? session->history : session->here;
  Checkpoint *checkpoint;
  Position position;

  if (name != NULL && (*name == 0 || g_ascii_isdigit (*name)))
    {
      error_set (error, RETRO_ERROR_USAGE, "a checkpoint's name must not begin with a digit");
      return NULL;
    }
  if (name != NULL && find (session, name) != NULL)
    {
      error_set (error, RETRO_ERROR_USAGE, "there is a checkpoint \"%s\" already", name);
      return NULL;
    }
  if (!place_position (place, &position, error))
    return NULL;
  session_checkpoints (session);
  snapshots_add_copy (session, place, SNAP_PINNED);
  checkpoint = g_new0 (Checkpoint, 1);
  checkpoint->number = session->next_checkpoint++;
  checkpoint->name = g_strdup (name);
  checkpoint->position = position;
  checkpoint->thread = session_current_thread (session);
  g_ptr_array_add (session->checkpoints, checkpoint);
  return checkpoint;
}

const Checkpoint *
session_find_checkpoint (Session *session, const char *text, GError **error)
{
  Checkpoint *checkpoint = find (session, text);

  if (checkpoint == NULL)
    error_set (error, RETRO_ERROR_USAGE, "no checkpoint %s", text);
  return checkpoint;
}

gboolean
session_delete_checkpoint (Session *session, const char *text, GError **error)
{
  Checkpoint *checkpoint = find (session, text);
  Position position;

  if (checkpoint == NULL)
    return error_set (error, RETRO_ERROR_USAGE, "no checkpoint %s", text);
  position = checkpoint->position;
  g_ptr_array_remove (session->checkpoints, checkpoint);
  for (guint i = 0; i < session->checkpoints->len; i++)
    {
      const Checkpoint *other = g_ptr_array_index (session->checkpoints, i);

      if (position_compare (&other->position, &position) == 0)
        return TRUE;
    }
  snapshots_unpin (session, &position);
  return TRUE;
}
