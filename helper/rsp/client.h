/* The GDB at the other end of our pipe.

   "target extended-remote | retro serve" makes that GDB an ancestor of
   ours.  `run' then should run its program, but the protocol does not say
   which that is; /proc does.  */

#ifndef RETRO_RSP_CLIENT_H
#define RETRO_RSP_CLIENT_H

#include <glib.h>

/* Path of the program that the GDB that started us debugs, or NULL.  */
char *client_program (void);

#endif
