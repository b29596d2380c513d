/* Start GDB over `retro serve': what `retro gdb' and `retro replay' share.

   GDB gets its first commands as -ex options before the user's, and the
   helper as "target extended-remote | retro serve ...".  The extension
   connects to the helper by itself, when a program is run; so with it there
   is no target at first, unless there is something to serve.  The program's
   descriptors are ours of now: they are inherited through GDB, which
   keeps those that were open when it started.  */

#ifndef RETRO_CMD_LAUNCH_H
#define RETRO_CMD_LAUNCH_H

#include <glib.h>

typedef struct
{
  gboolean stock;      /* the GDB of the system, without the extension  */
  GPtrArray *early;    /* of char *: -iex commands  */
  GPtrArray *commands; /* of char *: -ex commands, after the connection  */
  char *serve;         /* options of `retro serve', quoted for a shell, or NULL  */
  char **arguments;    /* the user's  */
} Launch;

/* Does not return if all is well.  */
gboolean launch_gdb (const Launch *launch, GError **error);

#endif
