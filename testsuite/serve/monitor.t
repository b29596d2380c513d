#!/usr/bin/perl
# The `monitor' commands, for those who have no extension.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Stock;
use Test::More;

dialogue 'help, and what is wrong', 'serve/breaks', <<'END';
(gdb) monitor help
monitor checkpoint [NAME] ...
monitor info checkpoints ...
monitor restart NUMBER|NAME ...
monitor delete checkpoint NUMBER|NAME ...
monitor seek begin|end|N%|event N|position P ...
monitor info timeline ...
monitor set snapshot-memory SIZE ...
monitor save DIR [from CHECKPOINT] ...
monitor help ...
(gdb) monitor nosuch
No such command: "nosuch".  Try "monitor help".
(gdb) monitor i
No such command: "i".  Try "monitor help".
(gdb) monitor checkpoint
No program is being recorded.
(gdb) monitor set snapshot-memory lots
Not a size: lots (like 200M or 2G)
(gdb) monitor set snapshot-memory 64M
Snapshots may take 67.1 MB.
(gdb) monitor set snapshot-memory 0
Snapshots may take a quarter of memory.
(gdb) monitor set snapshot-interval soon
Not a number: soon
(gdb) monitor set snapshot-interval 50
A snapshot about every 50 ms of run time.
(gdb) break main
(gdb) run
(gdb) monitor restart
Say which checkpoint.
(gdb) monitor restart 9
no checkpoint 9
(gdb) monitor delete checkpoint x
no checkpoint x
(gdb) monitor info checkpoints
No checkpoints.
(gdb) monitor seek
Where to?  begin, end, N%, event N or position E,T,I,R
(gdb) monitor seek 200%
Where to?  begin, end, N%, event N or position E,T,I,R
(gdb) monitor seek event x
Not a number: x
(gdb) monitor save
Say which directory.
(gdb) monitor save /proc/nosuch
/.*nosuch.*/
! Saved...
(gdb) monitor save @D@/never from 3
no checkpoint 3
(gdb) monitor info timeline now
Unexpected words: now
END

dialogue 'checkpoints and seeking', 'serve/breaks', <<'END';
(gdb) break work
(gdb) run
Breakpoint 1, work (value=1) at ...
(gdb) monitor checkpoint the first
Checkpoint 1: event ...
(gdb) continue 5
Breakpoint 1, work (value=6) at ...
(gdb) monitor check
Checkpoint 2: event ...
(gdb) monitor info check
/^  1  the first +event \d+, [0-9.]+ s, pc 0x[0-9a-f]+/
/^  2  +event \d+, /
(gdb) monitor info timeline
/^\|[-C^]+>/
Here: event ... (the present)
Position: ...
/^History: .* snapshots of .* MB in all/
# It cannot tell GDB, so it says what to type.
(gdb) monitor restart the first
Now at event ...
GDB does not know yet.  Make it look again:  maint flush register-cache
and:  maint flush dcache ...
(gdb) maint flush register-cache
(gdb) maint flush dcache
(gdb) frame
#0  work (value=1) at ...
(gdb) print sum
$1 = 0
(gdb) continue
Breakpoint 1, work (value=2) at ...
(gdb) monitor restart 2
(gdb) maint flush register-cache
(gdb) maint flush dcache
(gdb) print value
$2 = 6
(gdb) print sum
$3 = 15
(gdb) monitor delete checkpoint 2
(gdb) monitor restart 2
no checkpoint 2
(gdb) monitor seek begin
Now at event ... (the beginning)
(gdb) maint flush register-cache
(gdb) frame
#0 ... in _start () from ...ld-linux...
(gdb) info threads
* 1 ... _start ...
(gdb) monitor seek 50%
(gdb) monitor seek event 3
Now at event 3 of ...
(gdb) monitor seek end
Now at event ... (the present)
(gdb) maint flush register-cache
(gdb) maint flush dcache
(gdb) frame
#0  work (value=6) at ...
(gdb) continue
Breakpoint 1, work (value=7) at ...
END

dialogue 'threads after a seek', 'serve/turns', <<'END';
(gdb) break main
(gdb) run
(gdb) monitor checkpoint alone
(gdb) break turn
(gdb) continue
(gdb) continue
Thread 1 ... hit Breakpoint 2, turn () at ...
(gdb) monitor checkpoint together
(gdb) monitor restart alone
(gdb) maint flush register-cache
(gdb) info threads
! /the other/
/^\* 1 .* main \(\)/
(gdb) monitor restart together
(gdb) maint flush register-cache
(gdb) info threads
/"turns" +turn \(\)/
/"the other"/
END

dialogue 'saving', 'serve/breaks', <<'END';
(gdb) break work
(gdb) run
(gdb) continue 3
(gdb) monitor checkpoint here
(gdb) delete
(gdb) continue
(gdb) monitor save @D@/whole
Saved.  Open it with:  retro replay @D@/whole
(gdb) monitor save @D@/whole
/.*whole.*/
! Saved...
(gdb) monitor save @D@/part from here
Saved. ...
(gdb) shell @RETRO@ verify @D@/whole
/events, exact/
(gdb) shell @RETRO@ verify @D@/part
/events, exact/
(gdb) shell @RETRO@ replay --stock -b @D@/part -nx -batch -ex 'print value' -ex 'print sum'
$1 = 4
$2 = 6
END

done_testing;
