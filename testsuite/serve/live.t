#!/usr/bin/perl
# Starting, ending and starting again; where input and output go.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Stock;
use Test::More;

dialogue 'run, to the end and back from it', 'serve/live 3', <<'END';
(gdb) break add
Breakpoint 1 at ...: file ...live.c, line ...
(gdb) run
Breakpoint 1, add (value=1) at ...live.c:...
(gdb) continue 4
Will ignore next 3 crossings of breakpoint 1.  Continuing.
Breakpoint 1, add (value=5) at ...live.c:...
(gdb) continue
total 15
[process ... exited with status 3.  This is its last moment: go back from here, or continue to end it.]
No more reverse-execution history.
(gdb) print $_exitcode
$1 = void
(gdb) info breakpoints
	breakpoint already hit 5 times
(gdb) reverse-continue
Breakpoint 1, add (value=5) at ...
(gdb) print total
$2 = 10
(gdb) reverse-continue
Breakpoint 1, add (value=4) at ...
(gdb) delete
(gdb) reverse-continue
No more reverse-execution history.
(gdb) continue
No more reverse-execution history.
! ...exited with status...
(gdb) continue
[Inferior 1 (process ...) exited with code 03]
(gdb) print $_exitcode
$3 = 3
(gdb) info threads
No threads.
(gdb) run 0
! argument 2...
argument 1: 0
[process ... exited with status 0.  This is its last moment: ...
(gdb) run 7
argument 1: 7
[process ... exited with status 7.  This is its last moment: ...
(gdb) kill
[Inferior 1 (process ...) killed]
(gdb) start 9
Temporary breakpoint ..., main (argc=2, argv=...) at ...
(gdb) next 3
(gdb) print argv[1]
$... = ... "9"
(gdb) continue
...exited with status 9...
(gdb) continue
[Inferior 1 (process ...) exited with code 011]
END

for my $case (['segv', 'SIGSEGV, Segmentation fault'], ['abort', 'SIGABRT, Aborted'])
  {
    my ($how, $signal) = @$case;
    dialogue "a fatal signal keeps the last moment: $how", "serve/live $how", <<"END";
(gdb) run
Program received signal $signal.
(gdb) bt
/#\\d+ .*main \\(argc=2/
(gdb) continue
[process ... was killed by ...  This is its last moment: go back from here, or continue to end it.]
No more reverse-execution history.
(gdb) break add if value == 4
(gdb) reverse-continue
Program received signal $signal.
(gdb) reverse-continue
Breakpoint 1, add (value=4) at ...
(gdb) continue
Program received signal $signal.
(gdb) continue
No more reverse-execution history.
(gdb) continue
Program terminated with signal $signal.
The program no longer exists.
(gdb) info threads
No threads.
END
  }

dialogue 'SIGKILL', 'serve/live kill', <<'END';
(gdb) run
[process ... was killed by Killed.  This is its last moment: go back from here, or continue to end it.]
(gdb) reverse-next
(gdb) tbreak add
(gdb) reverse-continue
Temporary breakpoint 1, add (value=5) at ...
(gdb) continue
No more reverse-execution history.
(gdb) continue
Program terminated with signal SIGKILL, Killed.
END

open my $in, '>', "$Stock::dir/in" or die;
print $in "one\ntwo\n";
close $in;
dialogue 'redirections', 'serve/live', <<'END';
(gdb) run 0 "two words" - < @D@/in > @D@/out 2> @D@/err
...exited with status 0...
! argument...
! total 15
(gdb) shell cat @D@/out
argument 1: 0
argument 2: two words
argument 3: -
read: one
read: two
(gdb) shell cat @D@/err
total 15
(gdb) run 1 - <@D@/in >>@D@/out 2>&1
...exited with status 1...
(gdb) shell grep -c . @D@/out
10
(gdb) run 0 < @D@/nosuch
...nosuch: No such file or directory
(gdb) run 0 *.nosuch $HOME < /dev/null
argument 2: *.nosuch
! argument 3: $HOME
(gdb) set startup-with-shell off
(gdb) run 0 $HOME
argument 2: $HOME
(gdb) set environment FOO=bar
(gdb) show args
Argument list to give program being debugged when it is started is "0 $HOME".
END

dialogue 'kill and disconnect', 'serve/live 0', <<'END';
(gdb) break add
(gdb) run
Breakpoint 1, add (value=1) at ...
(gdb) kill
[Inferior 1 (process ...) killed]
(gdb) info threads
No threads.
(gdb) continue
The program is not being run.
(gdb) run
Breakpoint 1, add (value=1) at ...
(gdb) continue
(gdb) reverse-continue
Breakpoint 1, add (value=1) at ...
(gdb) disconnect
(gdb) continue
The program is not being run.
END

done_testing;
