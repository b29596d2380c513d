/* Redirections of `run ARGS < in > out 2> err', without a shell.

   The program inherits descriptors 0, 1 and 2 of the helper.  A Redirect
   puts files there and brings the old ones back:

     redirect_init (&redirect, cwd);
     for each argument: n = redirect_parse (&redirect, arg, error)
     ... start the program ...
     redirect_end (&redirect);  */

#ifndef RETRO_RSP_REDIRECT_H
#define RETRO_RSP_REDIRECT_H

#include <glib.h>

typedef struct
{
  const char *cwd; /* file names are relative to it; NULL: to ours  */
  int saved[3];    /* what was there, or -1  */
} Redirect;

void redirect_init (Redirect *redirect, const char *cwd);
/* If a redirection starts at ARGS[0], make it and return how many of ARGS
   it took (1 or 2); 0 if there is none; -1 on failure.  */
int redirect_parse (Redirect *redirect, char **args, GError **error);
void redirect_end (Redirect *redirect);

#endif
