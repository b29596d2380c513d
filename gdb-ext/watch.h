/* What the last reverse-watch found, for the convenience variables.  */

#ifndef RETRO_WATCH_H
#define RETRO_WATCH_H

#include "search.h"

/* Zero (thread NULL) before the first.  */
extern Found watch_last;

#endif
