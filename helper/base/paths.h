/* Where recordings are kept when the user does not say.

     $XDG_DATA_HOME/retro/            (~/.local/share/retro)
       PROGRAM-0/  PROGRAM-1/ ...     recordings, mode 0700
       latest -> PROGRAM-1            the one made last
       files/                         contents that recordings share  */

#ifndef RETRO_BASE_PATHS_H
#define RETRO_BASE_PATHS_H

#include <glib.h>

/* $XDG_DATA_HOME/retro, which need not exist.  */
char *paths_data_dir (void);

/* The `latest' link; it need not exist.  */
char *paths_default_recording (void);

/* Make a new directory for a recording of PROGRAM (a path or a name) and
   point `latest' to it.  Its path, or NULL.  */
char *paths_new_recording (const char *program, GError **error);

#endif
