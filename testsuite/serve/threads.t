#!/usr/bin/perl
# Threads: names, stacks, and who may run.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Stock;
use Test::More;

dialogue 'names and stacks of threads', 'serve/turns', <<'END';
(gdb) break turn
(gdb) run
Thread 1 ... hit Breakpoint 1, turn () at ...
# By then the other has begun.
(gdb) continue
Thread 1 ... hit Breakpoint 1, turn () at ...
(gdb) info threads
/^\* 1 +Thread [0-9.]+ "turns" +turn \(\) /
/^  2 +Thread [0-9.]+ "the other" /
(gdb) thread apply all bt
/^Thread 2 /
/other \(unused=/
/^Thread 1 /
#0  turn () at ...
#1  ... main () ...
(gdb) thread 2
/Switching to thread 2 /
(gdb) frame function other
(gdb) print theirs > 0
$1 = 1
(gdb) thread 1
(gdb) tbreak main
(gdb) reverse-continue
Thread 1 ... hit Breakpoint 1, turn () at ...
(gdb) reverse-continue
Thread 1 ... hit Temporary breakpoint 2, main () at ...
(gdb) info threads
/^\* 1 +Thread [0-9.]+ "turns" +main \(\) /
! /^  2 +Thread.*/
(gdb) continue
(gdb) continue
Thread 1 ... hit Breakpoint 1, turn () at ...
(gdb) info threads
/Thread [0-9.]+ "turns" +turn/
/Thread [0-9.]+ "the other" /
END

dialogue 'scheduler-locking', 'serve/turns', <<'END';
(gdb) break turn
(gdb) run
(gdb) set var $before = theirs
(gdb) finish
(gdb) print theirs > $before
$1 = 1
(gdb) continue
(gdb) set scheduler-locking on
(gdb) set var $before = theirs
(gdb) finish
(gdb) print theirs == $before
$2 = 1
(gdb) continue
Thread 1 ... hit Breakpoint 1, turn () at ...
(gdb) print theirs == $before
$3 = 1
(gdb) set scheduler-locking step
(gdb) next 2
(gdb) print theirs == $before
$4 = 1
(gdb) set scheduler-locking off
(gdb) finish
(gdb) print theirs > $before
$5 = 1
(gdb) continue
(gdb) reverse-continue
(gdb) delete
(gdb) continue
...exited with status 0...
END

dialogue 'a breakpoint of one thread', 'serve/turns', <<'END';
(gdb) break turn
(gdb) run
(gdb) break sched_yield thread 2
(gdb) disable 1
(gdb) continue
Thread 2 ... hit Breakpoint 2, ...sched_yield...
(gdb) up
/other \(unused=/
(gdb) reverse-continue
END

done_testing;
