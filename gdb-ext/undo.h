/* For what moves in time: how it becomes one step of "info history".

     undo_begin ("reverse-watch x");   where we are is noted
     undo_hold ();                     movements in between are not steps
     ...
     undo_release ();
     undo_moved ();                    a step, if we are elsewhere now

   GDB's own movements are noted without this.  */

#ifndef RETRO_UNDO_H
#define RETRO_UNDO_H

#include <glib.h>

void undo_begin (const char *command);
void undo_hold (void);
void undo_release (void);
void undo_moved (void);
void undo_start (void);

#endif
