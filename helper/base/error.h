/* The one error domain of the helper.

   A function that can fail takes a GError ** last and returns FALSE or
   NULL.  The message is one clear line for the user, without a final
   newline; errno's text is added by error_set_errno.  A broken invariant
   of our own aborts with g_assert instead.  */

#ifndef RETRO_BASE_ERROR_H
#define RETRO_BASE_ERROR_H

#include <glib.h>

typedef enum
{
  RETRO_ERROR_FAILED,      /* the kernel or the file system said no  */
  RETRO_ERROR_USAGE,       /* bad input from the user  */
  RETRO_ERROR_FORMAT,      /* malformed recording or packet  */
  RETRO_ERROR_DIVERGED,    /* a replay did not do what the log says  */
  RETRO_ERROR_UNSUPPORTED, /* the program did what Retro cannot record  */
  RETRO_ERROR_GONE,        /* the traced task has died  */
  RETRO_ERROR_INTERRUPTED, /* the user asked to stop  */
  RETRO_ERROR_LIMIT        /* memory or disk limit  */
} RetroError;

#define RETRO_ERROR (retro_error_quark ())
GQuark retro_error_quark (void);

/* Set ERROR to "FORMATTED: strerror (errno)".  Always returns FALSE.  */
gboolean error_set_errno (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Set ERROR with CODE.  Always returns FALSE.  */
gboolean error_set (GError **error, RetroError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

#endif
