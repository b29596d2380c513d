/* The error domain: see error.h.  */

#include "base/error.h"

#include <errno.h>

G_DEFINE_QUARK (retro-error-quark, retro_error)

gboolean
error_set_errno (GError **error, const char *format, ...)
{
  int saved = errno;
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, RETRO_ERROR, saved == ESRCH ? RETRO_ERROR_GONE : RETRO_ERROR_FAILED, "%s: %s", text,
               g_strerror (saved));
  return FALSE;
}

gboolean
error_set (GError **error, RetroError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, RETRO_ERROR, (int) code, text);
  return FALSE;
}
