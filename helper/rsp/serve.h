/* The protocol server: one client, one session at a time.

   `retro serve' calls serve_run once; it returns when the client has gone
   (end of file, a signal, or `k').  The server owns the session, so
   nothing of the program is left then, unless the client detached.  */

#ifndef RETRO_RSP_SERVE_H
#define RETRO_RSP_SERVE_H

#include "timeline/session.h"

typedef struct
{
  SessionOptions session;
  char **argv;        /* NULL, or the program to run, by default  */
  gboolean start;     /* start it at once  */
  pid_t attach;       /* 0, or attach to it at once  */
  char *recording;    /* NULL, or open it at once  */
  gboolean at_begin;  /* of the recording  */
  int notice_fd;      /* remarks for the user at any time go here; -1: nowhere  */
} ServeOptions;

/* Serve until the client goes; descriptors 0, 1 and 2 are those of the
   programs to be run.  FALSE if there is nothing to serve.  */
gboolean serve_run (const ServeOptions *options, int in_fd, int out_fd, GError **error);

#endif
