#!/usr/bin/perl
# Breakpoints of all kinds, forward while live and backward.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Stock;
use Test::More;

my $plugin = "$Stock::build/testsuite/serve/libplugged.so";

for my $kind ('break', 'hbreak')
  {
    dialogue "$kind, forward and backward", 'serve/breaks', <<"END";
(gdb) break main
(gdb) run
Breakpoint 1, main (...) at ...
(gdb) $kind work
/.*reakpoint 2 at .*/
(gdb) continue
Breakpoint 2, work (value=1) at ...
(gdb) continue 3
Will ignore next 2 crossings of breakpoint 2.  Continuing.
Breakpoint 2, work (value=4) at ...
(gdb) reverse-continue
Breakpoint 2, work (value=3) at ...
(gdb) continue
Breakpoint 2, work (value=4) at ...
(gdb) info breakpoints
/^1 +breakpoint +keep y .* in main at .*/
	breakpoint already hit 1 time
/^2 +.*breakpoint +keep y .* in work at .*/
	breakpoint already hit 6 times
(gdb) disable 2
(gdb) reverse-continue
Breakpoint 1, main (...) at ...
(gdb) enable 2
(gdb) continue
Breakpoint 2, work (value=1) at ...
(gdb) delete 2
(gdb) continue
...exited with status 0...
END
  }

dialogue 'conditions, evaluated in the helper', 'serve/breaks', <<'END';
(gdb) show breakpoint condition-evaluation
Breakpoint condition evaluation mode is auto (currently target).
(gdb) break work if value == 7
(gdb) run
Breakpoint 1, work (value=7) at ...
(gdb) info breakpoints
	stop only if value == 7 (target evals)
	breakpoint already hit 1 time
(gdb) condition 1 value % 3 == 0
(gdb) continue
Breakpoint 1, work (value=9) at ...
(gdb) reverse-continue
Breakpoint 1, work (value=6) at ...
(gdb) reverse-continue
Breakpoint 1, work (value=3) at ...
(gdb) reverse-continue
No more reverse-execution history.
(gdb) continue
Breakpoint 1, work (value=3) at ...
(gdb) condition 1 sum > 20 && value < 9
(gdb) continue
Breakpoint 1, work (value=7) at ...
(gdb) continue
Breakpoint 1, work (value=8) at ...
(gdb) continue
...exited with status 0...
(gdb) reverse-continue
Breakpoint 1, work (value=8) at ...
# One that only GDB can judge.
(gdb) condition 1 $_streq ("a", "a") && value == 2
(gdb) condition 1 value == $bpnum + 1
(gdb) set var $wanted = 2
(gdb) condition 1 value == $wanted
(gdb) reverse-continue
Breakpoint 1, work (value=2) at ...
(gdb) set var $wanted = 5
(gdb) continue
Breakpoint 1, work (value=5) at ...
END

dialogue 'temporary ones, ignore counts, commands', 'serve/breaks', <<'END';
(gdb) tbreak work
Temporary breakpoint 1 at ...
(gdb) run
Temporary breakpoint 1, work (value=1) at ...
(gdb) info breakpoints
No breakpoints or watchpoints.
(gdb) break work
(gdb) ignore 2 3
Will ignore next 3 crossings of breakpoint 2.
(gdb) continue
Breakpoint 2, work (value=5) at ...
(gdb) ignore 2 2
(gdb) reverse-continue
Breakpoint 2, work (value=2) at ...
(gdb) thbreak work
(gdb) delete 2
(gdb) continue
Temporary breakpoint 3, work (value=3) at ...
(gdb) break 16
(gdb) commands
> silent
> printf "sum is %d\n", sum
> continue
> end
(gdb) continue
sum is 6
sum is 10
sum is 15
sum is 21
sum is 28
sum is 36
sum is 45
...exited with status 0...
(gdb) commands 4
> silent
> printf "sum was %d\n", sum
> continue
> end
(gdb) reverse-continue
sum was 45
sum was 28
sum was 0
No more reverse-execution history.
END

dialogue 'pending ones, in libraries', "serve/breaks $plugin", <<'END';
(gdb) set breakpoint pending on
(gdb) break plugged
Function "plugged" not defined.
Breakpoint 1 (plugged) pending.
(gdb) break library_twice
/Breakpoint 2 (at|\(library_twice\) pending).*/
(gdb) run
Breakpoint 2, library_twice (value=55) at ...libbreaks.c:...
(gdb) bt
#0  library_twice (value=55) at ...libbreaks.c:...
#1  ... in main (...) at ...
(gdb) continue
Breakpoint 1, plugged (value=110) at ...libplugged.c:...
(gdb) info sharedlibrary
...libplugged.so
(gdb) next
(gdb) print more
$1 = 111
(gdb) up
#1  ... in main (...
(gdb) delete 2
(gdb) continue
sum 111
...exited with status 0...
(gdb) reverse-continue
Breakpoint 1, plugged (value=110) at ...
(gdb) break library_twice
(gdb) reverse-continue
Breakpoint 3, library_twice (value=55) at ...
(gdb) continue
Breakpoint 1, plugged (value=110) at ...
(gdb) finish
Run till exit from #0  plugged (value=110) at ...
Value returned is $... = 111
(gdb) reverse-step
(gdb) run
Breakpoint 3, library_twice (value=55) at ...
(gdb) catch load libplugged
Catchpoint 4 (load)
(gdb) continue
Catchpoint 4
  Inferior loaded ...libplugged.so
(gdb) catch unload
(gdb) delete 1
(gdb) continue
Catchpoint 5
  Inferior unloaded ...libplugged.so
END

dialogue 'a breakpoint on every statement, there and back', 'serve/breaks', <<'END';
(gdb) rbreak breaks.c:.
(gdb) rbreak libbreaks.c:.
(gdb) run
Breakpoint ..., main (...
(gdb) tbreak 26
(gdb) delete 1-10
(gdb) until 28
main (...
(gdb) print sum
$1 = 55
(gdb) advance library_twice
library_twice (value=55) at ...
(gdb) reverse-finish
Run back to call of #0  library_twice (value=55) ...
(gdb) reverse-finish
! ...No more reverse...
END

done_testing;
