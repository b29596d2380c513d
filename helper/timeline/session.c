/* Making and ending sessions, and where one is.

   A live session keeps its log in a directory of its own, which goes when
   the session ends unless the user named it.  The first snapshot is the
   beginning of history and is never dropped.  */

#include "timeline/private.h"

#include "base/cpu.h"
#include "base/error.h"
#include "base/paths.h"
#include "trace/trapped.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SLICE_USEC 2000
#define DEFAULT_SNAPSHOT_USEC 250000

/* --- Directories --- */

static gboolean
make_private_dir (Session *session, GError **error)
{
  g_autofree char *data = paths_data_dir ();
  g_autofree char *template = g_build_filename (data, "session-XXXXXX", NULL);

  if (g_mkdir_with_parents (data, 0700) != 0)
    return error_set_errno (error, "cannot make %s", data);
  if (!scratch_init (&session->scratch, template, error))
    return FALSE;
  session->dir = g_strdup (session->scratch.path);
  return TRUE;
}

static gboolean
make_dir (Session *session, const char *wish, GError **error)
{
  if (wish == NULL)
    return make_private_dir (session, error);
  if (g_mkdir_with_parents (wish, 0700) != 0)
    return error_set_errno (error, "cannot make %s", wish);
  session->dir = g_strdup (wish);
  return TRUE;
}

/* --- Making --- */

static char *
describe_cpu (void)
{
  g_autofree char *text = NULL;
  const char *at;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL) || (at = strstr (text, "model name\t: ")) == NULL)
    return g_strdup ("unknown");
  at += strlen ("model name\t: ");
  return g_strndup (at, strcspn (at, "\n"));
}

static Session *
session_alloc (const SessionOptions *options)
{
  Session *session = g_new0 (Session, 1);

  if (options != NULL)
    session->options = *options;
  session->options.dir = NULL;
  if (session->options.snapshot_usec == 0)
    session->options.snapshot_usec = DEFAULT_SNAPSHOT_USEC;
  session_set_snapshot_memory (session, session->options.snapshot_memory);
  session->scratch = (Scratch) SCRATCH_INIT;
  session->poll_fd = -1;
  session->reported = G_MAXUINT64;
  session->next_checkpoint = 1;
  session->traps = NULL;
  return session;
}

/* The log of a live session.  */
static gboolean
create_log (Session *session, const SessionOptions *options, char **argv, const char *program, const char *cwd,
            GError **error)
{
  g_autofree char *cpu = describe_cpu ();
  g_autofree char *here = g_get_current_dir ();
  const LogHeader header = { .argv = argv,
                             .program = (char *) program,
                             .cwd = (char *) (cwd != NULL ? cwd : here),
                             .start_time = (guint64) g_get_real_time (),
                             .seed = session->options.seed,
                             .check = session->options.check,
                             .traps_cpuid = trapped_has_cpuid (),
                             .cpu = cpu };

  if (!make_dir (session, options != NULL ? options->dir : NULL, error))
    return FALSE;
  session->log = log_create (session->dir, &header, error);
  return session->log != NULL;
}

/* HERE is the beginning of history.  */
static gboolean
begin_history (Session *session, GError **error)
{
  const Event *image = log_get (session->log, 0, error);
  Place *first;

  if (image == NULL)
    return FALSE;
  session->pid = image->threads != NULL && image->threads->len > 0
                   ? g_array_index (image->threads, ThreadImage, 0).tid
                   : 0;
  session->thread = replay_current (session->here->replay);
  /* Makes the lists that everyone expects.  */
  session_remove (session, SESSION_BREAK, 0, 0, NULL);
  first = place_copy (session->here, error);
  if (first == NULL || !place_position (session->here, &session->begin, error))
    return FALSE;
  snapshots_add (session, first, SNAP_PINNED);
  return TRUE;
}

static Session *
begin_live (Session *session, GError **error)
{
  session->pid = recorder_pid (session->recorder);
  session->live_stop.thread = 0;
  session->live_stop.kind = LIVE_STEP;
  if (!live_arrive (session, TRUE, error) || !begin_history (session, error))
    {
      session_free (session);
      return NULL;
    }
  return session;
}

static RecordOptions
record_options (const Session *session)
{
  return (RecordOptions){ .seed = session->options.seed, .slice_usec = DEFAULT_SLICE_USEC,
                          .check = session->options.check };
}

Session *
session_run (char **argv, char **env, const char *cwd, const SessionOptions *options, GError **error)
{
  Session *session = session_alloc (options);
  RecordOptions record = record_options (session);
  g_autofree char *program = g_find_program_in_path (argv[0]);

  if (create_log (session, options, argv, program != NULL ? program : argv[0], cwd, error))
    session->recorder = recorder_start (session->log, argv, env, cwd, &record, NULL, error);
  if (session->recorder != NULL)
    return begin_live (session, error);
  session_free (session);
  return NULL;
}

Session *
session_attach (pid_t pid, const SessionOptions *options, GError **error)
{
  Session *session = session_alloc (options);
  RecordOptions record = record_options (session);
  g_autofree char *exe = g_strdup_printf ("/proc/%d/exe", pid);
  g_autofree char *program = g_file_read_link (exe, NULL);
  char *argv[] = { program != NULL ? program : exe, NULL };

  if (create_log (session, options, argv, argv[0], NULL, error))
    session->recorder = recorder_attach (session->log, pid, &record, error);
  if (session->recorder != NULL)
    return begin_live (session, error);
  session_free (session);
  return NULL;
}

Session *
session_open (const char *dir, gboolean at_end, const SessionOptions *options, GError **error)
{
  Session *session = session_alloc (options);
  Replay *replay = NULL;

  session->dir = g_strdup (dir);
  session->log = log_open (dir, error);
  if (session->log != NULL)
    {
      cpu_pin (log_header (session->log)->start_time);
      replay = replay_new (session->log, 0, error);
    }
  if (replay != NULL)
    {
      session->here = place_new (replay);
      if (begin_history (session, error))
        {
          Position end;

          session_end (session, &end);
          if (!at_end || session_seek (session, &end, error))
            return session;
        }
    }
  session_free (session);
  return NULL;
}

void
session_free (Session *session)
{
  if (session == NULL)
    return;
  g_clear_pointer (&session->recorder, recorder_free);
  g_clear_pointer (&session->here, place_free);
  g_clear_pointer (&session->history, place_free);
  g_clear_pointer (&session->root, place_free);
  g_clear_pointer (&session->snapshots, g_ptr_array_unref);
  g_clear_pointer (&session->traps, g_ptr_array_unref);
  g_clear_pointer (&session->catch, g_array_unref);
  g_clear_pointer (&session->checkpoints, g_ptr_array_unref);
  if (session->log != NULL)
    log_close (session->log, NULL);
  scratch_clear (&session->scratch);
  g_free (session->dir);
  g_free (session);
}

gboolean
session_detach (Session *session, GError **error)
{
  if (!session_is_live (session))
    return error_set (error, RETRO_ERROR_USAGE, "there is no live program to detach from");
  if (!recorder_detach (session->recorder, error))
    return FALSE;
  g_clear_pointer (&session->recorder, recorder_free);
  return TRUE;
}

/* --- What the client wants to stop at --- */

void
session_catch_syscalls (Session *session, GArray *numbers)
{
  if (numbers != NULL)
    g_array_ref (numbers);
  g_clear_pointer (&session->catch, g_array_unref);
  session->catch = numbers;
}

void
session_pass_signals (Session *session, guint64 mask)
{
  session->pass = mask;
}

void
session_report_events (Session *session, guint mask)
{
  session->report = mask;
}

/* --- Where we are --- */

/* How many events a place can have: what the end of the program did is
   never applied.  */
static EventNo
last_event (const Session *session)
{
  EventNo length = log_length (session->log);
  const Event *event = length > 0 ? log_get (session->log, length - 1, NULL) : NULL;

  return event != NULL && event->kind == EV_END ? length - 1 : length;
}

void
session_position (Session *session, Position *position_ret)
{
  if (!place_position (session->history != NULL ? session->history : session->here, position_ret, NULL))
    memset (position_ret, 0, sizeof *position_ret);
}

gboolean
session_is_live (const Session *session)
{
  return session->recorder != NULL && !recorder_has_ended (session->recorder);
}

gboolean
session_at_frontier (const Session *session)
{
  return session->history == NULL && session->here != NULL && !replay_is_inside (session->here->replay)
         && replay_event (session->here->replay) >= last_event (session);
}

gboolean
session_at_begin (const Session *session)
{
  const Place *place = session->history != NULL ? session->history : session->here;

  return replay_event (place->replay) <= session->begin.event && !replay_is_inside (place->replay);
}

gboolean
session_in_diversion (const Session *session)
{
  return session->history != NULL;
}

Log *
session_log (Session *session)
{
  return session->log;
}

void
session_begin (Session *session, Position *position_ret)
{
  *position_ret = session->begin;
}

void
session_end (Session *session, Position *position_ret)
{
  const Snapshot *last;

  *position_ret = (Position){ .event = last_event (session) };
  /* Usually a stop has left a snapshot there, which knows the pc.  */
  last = session->snapshots != NULL && session->snapshots->len > 0 ? snapshots_find (session, position_ret) : NULL;
  if (last != NULL && position_compare (&last->position, position_ret) == 0)
    position_ret->pc = last->position.pc;
}

guint64
session_time (Session *session, EventNo event)
{
  EventNo length = log_length (session->log);
  const Event *last = length > 0 ? log_get (session->log, MIN (event > 0 ? event - 1 : 0, length - 1), NULL) : NULL;

  return last != NULL ? last->time : 0;
}

/* --- Seeking --- */

gboolean
session_seek (Session *session, const Position *position, GError **error)
{
  Position end, target = *position;
  Place *place;

  session_end (session, &end);
  if (position_compare (&target, &end) > 0)
    target = end;
  if (position_compare (&target, &session->begin) < 0)
    target = session->begin;
  if (session->history != NULL && !session_end_diversion (session, error))
    return FALSE;
  interrupt_start (session);
  place = seek_place (session, &target, TRUE, error);
  interrupt_finish (session);
  if (place == NULL)
    return FALSE;
  /* Where the user was is where he may want to be again.  */
  snapshots_add (session, session->here, SNAP_STOP);
  session->here = place;
  session->reported = G_MAXUINT64;
  session->has_siginfo = FALSE;
  session->was_away = TRUE;
  session->thread = replay_current (place->replay);
  return TRUE;
}

gboolean
session_seek_event (Session *session, EventNo event, GError **error)
{
  const Position position = { .event = event };

  return session_seek (session, &position, error);
}

gboolean
session_digest (Session *session, guint64 *digest_ret, GError **error)
{
  return replay_digest (session->here->replay, digest_ret, error);
}
