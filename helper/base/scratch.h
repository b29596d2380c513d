/* Directories that go when we go, however we die.

   A keeper, a process of its own, sleeps until the other end of a pipe is
   closed, which the kernel does when the last of us is gone, and removes
   the directory then.  It has no terminal, no other descriptor, and is
   nobody's child.  */

#ifndef RETRO_BASE_SCRATCH_H
#define RETRO_BASE_SCRATCH_H

#include <glib.h>

typedef struct
{
  char *path;
  int fd; /* held open as long as the directory is to stay  */
} Scratch;

#define SCRATCH_INIT { NULL, -1 }

/* A new directory TEMPLATE, which ends in XXXXXX, mode 0700.  */
gboolean scratch_init (Scratch *scratch, const char *template, GError **error);
/* Remove it now, with all that is in it.  */
void scratch_clear (Scratch *scratch);

#endif
