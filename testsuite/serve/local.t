#!/usr/bin/perl
# Thread-local variables: each thread's own, watched, in the past.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Stock;
use Test::More;

dialogue 'thread-local variables', 'serve/local', <<'END';
(gdb) break work
(gdb) run
Thread 2 ... hit Breakpoint 1, work (arg=...) at ...
(gdb) print mine
$1 = 5
(gdb) next
(gdb) next
(gdb) print mine
$2 = 7
(gdb) thread 1
(gdb) print mine
$3 = 5
(gdb) print (int) errno
$4 = 33
(gdb) watch mine
Hardware watchpoint 2: mine
(gdb) continue
Thread 1 ... hit Hardware watchpoint 2: mine
Old value = 5
New value = 6
(gdb) reverse-continue
Thread 1 ... hit Hardware watchpoint 2: mine
Old value = 6
New value = 5
(gdb) print mine
$5 = 5
END

done_testing ();
