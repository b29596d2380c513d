/* Shared by the bridge's C++ files: GDB's headers, and how an exception
   becomes an error and back.

   GDB's config.h must be the very first header, so every bridge file
   includes this one first.  Extension code in C never sees it.  */

#ifndef RETRO_BRIDGE_PRIVATE_H
#define RETRO_BRIDGE_PRIVATE_H

#include "defs.h"
#include "bridge.h"

/* Throw ERROR as GDB does, and free it.  Does not return.  */
[[noreturn]] void bridge_throw (GError *error);

/* Set *ERROR from EX.  */
void bridge_catch (GError **error, const gdb_exception &ex);

/* Call FUNC, of which nothing is shown, whatever it makes the program do.  */
void bridge_call_silently (const std::function<void (void)> &func);

/* Call FUNC; what it throws goes to *ERROR and makes FALSE.  */
template<typename Func>
gboolean
bridge_guard (GError **error, Func func)
{
  try
    {
      func ();
      return TRUE;
    }
  catch (const gdb_exception &ex)
    {
      bridge_catch (error, ex);
      return FALSE;
    }
}

#endif
