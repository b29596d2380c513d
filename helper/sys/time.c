/* Clocks and timers.

   An interrupted sleep says how much is left, so the remaining time counts
   even when the call fails.  */

#include "sys/rows.h"

#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

#define TIMESPEC 16
#define TIMERSPEC 32

const SysNumbered sys_rows_time[] = {
  R (time, "p", OUTS (BYTES (0, 8))),
  R (gettimeofday, "pp", OUTS (BYTES (0, 16), BYTES (1, 8))),
  R (settimeofday, "pp"),
  R (adjtimex, "p", OUTS (BYTES (0, sizeof (struct timex)))),
  R (clock_gettime, "dp", OUTS (BYTES (1, TIMESPEC))),
  R (clock_getres, "dp", OUTS (BYTES (1, TIMESPEC))),
  R (clock_settime, "dp"),
  R (clock_adjtime, "dp", OUTS (BYTES (1, sizeof (struct timex)))),
  R (nanosleep, "pp", BLOCKS, OUTS (BYTES_EVEN (1, TIMESPEC))),
  R (clock_nanosleep, "dxpp", BLOCKS, OUTS (BYTES_EVEN (3, TIMESPEC))),
  R (times, "p", OUTS (BYTES (0, 32))),
  R (alarm, "u"),
  R (getitimer, "dp", OUTS (BYTES (1, 32))),
  R (setitimer, "dpp", OUTS (BYTES (2, 32))),
  R (timer_create, "dpp", OUTS (BYTES (2, 4))),
  R (timer_settime, "dxpp", OUTS (BYTES (3, TIMERSPEC))),
  R (timer_gettime, "dp", OUTS (BYTES (1, TIMERSPEC))),
  R (timer_getoverrun, "d"),
  R (timer_delete, "d"),
  R (timerfd_create, "dx"),
  R (timerfd_settime, "fxpp", OUTS (BYTES (3, TIMERSPEC))),
  R (timerfd_gettime, "fp", OUTS (BYTES (1, TIMERSPEC))),
  ROWS_END,
};
