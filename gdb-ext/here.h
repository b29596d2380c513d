/* Where in time the user is, and going elsewhere.

   All commands that move in time end in here_arrive or here_seek: GDB's
   caches are dropped, the movement is noted for undo, and the place is
   shown as GDB shows a stop.  */

#ifndef RETRO_HERE_H
#define RETRO_HERE_H

#include "wire.h"

typedef struct
{
  Moment now;
  gboolean live, frontier, begin, diversion, ended;
  double seconds; /* of execution  */
} Here;

/* Is there a program, and is it being recorded?  */
gboolean here_is_recording (void);
/* The same as an error for the user.  */
gboolean here_check_recording (GError **error);

gboolean here_ask (Here *here_ret, GError **error);

/* Go where the packet QRetro:Seek:WHERE goes, and show it.  COMMAND is what
   "info history" calls it; NULL: not a step of history (undo itself).  */
gboolean here_seek (const char *where, const char *command, GError **error);

/* The whole of history.  */
typedef struct
{
  Moment begin, now, end;
  double begin_seconds, now_seconds, end_seconds;
  gboolean live;
  guint64 snapshots, snapshot_bytes;
  char *dir;
} Timeline;

gboolean timeline_ask (Timeline *timeline_ret, GError **error);
void timeline_clear (Timeline *timeline);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Timeline, timeline_clear)

/* Of 100; by events.  */
double timeline_percent (const Timeline *timeline, const Moment *moment);

/* ---- Registering, in extension.c's order ---- */

void connect_start (void);
void settings_start (void);
void checkpoint_start (void);
void timeline_start (void);
void variables_start (void);
void watch_start (void);

/* Tell the helper the settings that differ from its own.  */
void settings_send (void);

/* Candidates for completion: the names and numbers of checkpoints.  */
char **checkpoint_complete (const char *text);

#endif
