#!/usr/bin/perl
# Ctrl-C, in the middle of everything that takes long.
#
# GDB forgets one that comes between its "Continuing." and the packet, so the
# packet is waited for.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Stock;
use Test::More;

for my $case (['forever', 'now it loops'], ['', 'now it waits'])
  {
    my ($how, $said) = @$case;
    dialogue "while the program runs: $said", "serve/long $how", <<"END";
(gdb) run
^C when $said
Program received signal SIGINT, Interrupt.
(gdb) bt
...main (argc=...
(gdb) print sum >= 449999985000000
\$1 = 1
(gdb) set debug remote on
(gdb) continue
^C when Sending packet: \$vCont
Program received signal SIGINT, Interrupt.
(gdb) set debug remote off
(gdb) tbreak count
(gdb) reverse-continue
Temporary breakpoint 1, count () at ...
# Over the past into the present.
(gdb) set debug remote on
(gdb) continue
^C when Sending packet: \$vCont
Program received signal SIGINT, Interrupt.
(gdb) set debug remote off
(gdb) bt
...main (argc=...
END
  }

# A condition that is never true makes every way back long.
dialogue 'going back', 'serve/long', <<'END';
(gdb) break wait_here
(gdb) run
Breakpoint 1, wait_here () at ...
(gdb) break tick if i == -1
(gdb) set debug remote on
(gdb) reverse-continue
^C when Sending packet: $bc
Program received signal SIGINT, Interrupt.
(gdb) set debug remote off
(gdb) bt
#0  wait_here () at ...
#1  ... main (...
(gdb) delete 2
(gdb) reverse-finish
main (...
(gdb) print sum
$1 = 449999985000000
# A range of steps that is long.
(gdb) delete
(gdb) tbreak count
(gdb) reverse-continue
Temporary breakpoint 3, count () at ...
(gdb) break tick if i == -1
(gdb) set debug remote on
(gdb) finish
^C when Sending packet: $vCont
Program received signal SIGINT, Interrupt.
(gdb) set debug remote off
(gdb) bt
...main (...
(gdb) delete
(gdb) tbreak wait_here
(gdb) continue
Temporary breakpoint 5, wait_here () at ...
(gdb) print sum
$2 = 449999985000000
END

dialogue 'a function called from GDB', 'serve/long', <<'END';
(gdb) break wait_here
(gdb) run
Breakpoint 1, wait_here () at ...
(gdb) print sum
$1 = 449999985000000
(gdb) set unwindonsignal on
(gdb) print forever ()
^C when now it loops
Program received signal SIGINT, Interrupt.
The program being debugged was signaled while in a function called from GDB.
(gdb) print sum
$2 = 449999985000000
(gdb) bt
#0  wait_here () at ...
# Without unwinding, one stands in the copy.
(gdb) set unwindonsignal off
(gdb) print forever ()
^C when now it loops
Program received signal SIGINT, Interrupt.
(gdb) bt
#0 ...forever () at ...
#1  <function called from gdb>
#2  wait_here () at ...
(gdb) print sum > 449999985000000
$3 = 1
(gdb) reverse-stepi
(gdb) print sum
$4 = 449999985000000
(gdb) set unwindonsignal on
# And in the past.
(gdb) tbreak count
(gdb) reverse-continue
Temporary breakpoint 2, count () at ...
(gdb) print forever ()
^C when now it loops
Program received signal SIGINT, Interrupt.
(gdb) print sum
$5 = 0
(gdb) continue
Breakpoint 1, wait_here () at ...
END

done_testing;
