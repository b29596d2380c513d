#!/usr/bin/perl
# Catchpoints: calls, children, programs, signals, exceptions.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Stock;
use Test::More;

dialogue 'catch syscall: entry and return, both ways', 'serve/catch', <<'END';
(gdb) handle SIGUSR1 nostop noprint pass
(gdb) break main
(gdb) run
(gdb) catch syscall getppid
Catchpoint 2 (syscall 'getppid' [110])
(gdb) continue
Catchpoint 2 (call to syscall getppid), ...getppid...
(gdb) continue
Catchpoint 2 (returned from syscall getppid), ...getppid...
(gdb) continue
Catchpoint 2 (call to syscall getppid), ...
(gdb) continue
Catchpoint 2 (returned from syscall getppid), ...
(gdb) bt
...main...
(gdb) reverse-continue
Catchpoint 2 (call to syscall getppid), ...
(gdb) reverse-continue
Catchpoint 2 (returned from syscall getppid), ...
(gdb) reverse-continue
Catchpoint 2 (call to syscall getppid), ...
(gdb) continue
Catchpoint 2 (returned from syscall getppid), ...
(gdb) info breakpoints
	catchpoint already hit 8 times
(gdb) delete 2
(gdb) catch syscall group:process
(gdb) continue
/Catchpoint 3 \(call to syscall clone\), .*/
(gdb) continue
/Catchpoint 3 \(call to syscall wait4\), .*/
(gdb) delete 3
(gdb) continue
...exited with status 0...
END

dialogue 'catch syscall: all of them', 'serve/catch', <<'END';
(gdb) break main
(gdb) run
(gdb) catch syscall
Catchpoint 2 (any syscall)
(gdb) continue
/Catchpoint 2 \(call to syscall rt_sigaction\)/
(gdb) continue
/Catchpoint 2 \(returned from syscall rt_sigaction\)/
(gdb) continue
/Catchpoint 2 \(call to syscall getppid\)/
(gdb) stepi
(gdb) continue
/Catchpoint 2 \((call to|returned from) syscall/
END

dialogue 'catch signal, handle, signal 0', 'serve/catch', <<'END';
(gdb) catch signal SIGUSR1
Catchpoint 1 (signal SIGUSR1)
(gdb) run
Catchpoint 1 (signal SIGUSR1), ...
(gdb) up
(gdb) print handled
$1 = 0
(gdb) delete 1
(gdb) handle SIGUSR1 nostop noprint pass
(gdb) break handler
(gdb) continue
Breakpoint 2, handler (signo=10) at ...
(gdb) bt
#0  handler (signo=10) ...
#1  <signal handler called>
...main...
(gdb) handle SIGUSR1 stop print pass
(gdb) delete 2
(gdb) reverse-continue
Program received signal SIGUSR1, User defined signal 1.
(gdb) continue
...exited with status 0...
(gdb) run
Program received signal SIGUSR1, User defined signal 1.
(gdb) print $_siginfo.si_signo
$... = 10
(gdb) signal 0
Continuing with no signal.
...exited with status 1...
END

dialogue 'catch fork and vfork', 'serve/catch', <<'END';
(gdb) handle SIGUSR1 nostop noprint pass
(gdb) catch fork
Catchpoint 1 (fork)
(gdb) catch vfork
Catchpoint 2 (vfork)
(gdb) run
Catchpoint 1 (forked process ...), ...
(gdb) bt
...children...
(gdb) continue
Catchpoint 2 (vforked process ...), ...
(gdb) info inferiors
/\* 1 +process .*/
! /^  2 .*/
(gdb) continue
...exited with status 0...
(gdb) reverse-continue
Catchpoint 2 (vforked process ...), ...
(gdb) reverse-continue
Catchpoint 1 (forked process ...), ...
(gdb) continue
Catchpoint 2 (vforked process ...), ...
END

dialogue 'an exec, and back over it', "serve/catch $Stock::build/testsuite/serve/catch", <<'END';
(gdb) handle SIGUSR1 nostop noprint pass
(gdb) break main
(gdb) run
Breakpoint 1, main (argc=2, ...
(gdb) catch exec
Catchpoint 2 (exec)
(gdb) continue
process ... is executing new program: ...catch
Catchpoint 2 (exec'd ...catch), ...
(gdb) continue
Breakpoint 1, main (argc=2, ...
(gdb) print argv[1]
$... "again"
(gdb) next 2
(gdb) print handled
$... = 0
(gdb) reverse-continue
Breakpoint 1, main (argc=2, ...
(gdb) delete 2
(gdb) reverse-continue
Breakpoint 1, main (argc=2, ...
(gdb) print argv[1]
$... ".../catch"
(gdb) tbreak children
(gdb) continue
Temporary breakpoint ..., children () at ...
(gdb) print handled
$... = 10
(gdb) continue
Breakpoint 1, main (argc=2, ...
(gdb) continue
...exited with status 5...
END

dialogue 'catch throw and catch', 'serve/throw', <<'END';
(gdb) break main
(gdb) run
(gdb) catch throw
Catchpoint 2 (throw)
(gdb) catch catch
Catchpoint 3 (catch)
(gdb) continue
Catchpoint 2 (exception thrown), ...
(gdb) up
#1  ...deep (n=0) at ...
(gdb) continue
Catchpoint 3 (exception caught), ...
(gdb) continue
Catchpoint 2 (exception thrown), ...
(gdb) reverse-continue
Catchpoint 3 (exception caught), ...
(gdb) reverse-continue
Catchpoint 2 (exception thrown), ...
(gdb) up
#1  ...deep (n=0) at ...
(gdb) print depth
$1 = 0
(gdb) delete 2 3
(gdb) break attempt
(gdb) continue
Breakpoint 4, attempt (n=2) at ...
(gdb) tbreak 28
(gdb) continue
Temporary breakpoint 5, attempt (n=2) at ...
(gdb) next
29...
(gdb) reverse-next
...in the handler
(gdb) reverse-next
26...
(gdb) reverse-next
Breakpoint 4, attempt (n=2) at ...
(gdb) reverse-finish
Run back to call of #0  attempt (n=2)...
...main () ...
END

done_testing;
