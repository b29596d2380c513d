#!/usr/bin/perl
# What there is to see and to change besides variables: vector registers,
# siginfo, the auxiliary vector, mappings, core files, return values.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Stock;
use Test::More;

open my $cpuinfo, '<', '/proc/cpuinfo' or die;
my %cpu = map { $_ => 1 } map { /^flags\s*:(.*)/ ? split (' ', $1) : () } <$cpuinfo>;
close $cpuinfo;

SKIP:
{
  skip 'this CPU has no AVX', 1 unless $cpu{avx};
  dialogue 'AVX registers, now and in the past', 'serve/state', <<'END';
(gdb) break vectors
(gdb) run
(gdb) break vectors_set
(gdb) continue
(gdb) print $ymm7.v8_int32
$1 = {1, 2, 3, 4, 5, 6, 7, 8}
(gdb) break choose
(gdb) continue
(gdb) reverse-continue
Breakpoint 2, vectors_set () ...
(gdb) print $ymm7.v8_int32
$2 = {1, 2, 3, 4, 5, 6, 7, 8}
(gdb) reverse-continue
Breakpoint 1, vectors () ...
(gdb) print $ymm7.v8_int32[7] == 8
$3 = 0
(gdb) continue
# A change at the present lasts.
(gdb) continue
(gdb) print $ymm7.v8_int32[7] = 80
(gdb) stepi
(gdb) print $ymm7.v8_int32[7]
$5 = 80
(gdb) reverse-continue
Breakpoint 3, choose (value=4) at ...
(gdb) stepi
(gdb) print $ymm7.v8_int32[7]
$6 = 80
END
}

SKIP:
{
  skip 'this CPU has no AVX-512', 1 unless $cpu{avx512f};
  dialogue 'AVX-512 registers', 'serve/state', <<'END';
(gdb) break vectors_set
(gdb) run
(gdb) print $zmm17.v16_int32
$1 = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
(gdb) print $ymm17.v8_int32
$2 = {1, 2, 3, 4, 5, 6, 7, 8}
(gdb) print/x $k3
$3 = 0x5a5a
(gdb) info registers rip k3
/^rip /
/^k3 .*0x5a5a/
END
}

dialogue 'siginfo of signals that come from outside and inside', 'serve/state fault', <<'END';
(gdb) run
Program received signal SIGUSR2, User defined signal 2.
(gdb) print $_siginfo.si_signo
$1 = 12
(gdb) print $_siginfo.si_code
$2 = -2
(gdb) print $_siginfo._sifields._timer.si_sigval.sival_int
$3 = 77
(gdb) continue
Program received signal SIG37, Real-time event 37.
(gdb) print $_siginfo.si_code
$4 = -1
(gdb) print $_siginfo._sifields._rt.si_sigval.sival_int
$5 = 42
(gdb) continue
Program received signal SIGSEGV, Segmentation fault.
(gdb) print $_siginfo._sifields._sigfault.si_addr
$6 = (void *) 0x10
(gdb) print $_siginfo.si_code
$7 = 1
(gdb) reverse-continue
Program received signal SIG37, Real-time event 37.
(gdb) print $_siginfo._sifields._rt.si_sigval.sival_int
$8 = 42
(gdb) reverse-continue
Program received signal SIGUSR2, User defined signal 2.
(gdb) print $_siginfo._sifields._timer.si_sigval.sival_int
$9 = 77
(gdb) continue
Program received signal SIG37, Real-time event 37.
(gdb) print $_siginfo._sifields._rt.si_sigval.sival_int
$10 = 42
END

dialogue 'handle: stop, print, pass', 'serve/state fault', <<'END';
(gdb) handle SIGUSR2 nostop print pass
(gdb) handle SIG37 nostop noprint nopass
(gdb) run
Program received signal SIGUSR2, User defined signal 2.
! ...SIG37...
Program received signal SIGSEGV, Segmentation fault.
(gdb) print handled
$1 = 12
(gdb) break signals
(gdb) reverse-continue
Breakpoint 1, signals () ...
(gdb) info signals SIGUSR2
/SIGUSR2 +No\s+Yes\s+Yes/
END

dialogue 'auxv, mappings, info proc', 'serve/state', <<'END';
(gdb) break choose
(gdb) run
(gdb) info auxv
/AT_PAGESZ .*4096/
/AT_ENTRY .*0x/
/AT_EXECFN .*serve.state"/
(gdb) info proc mappings
/0x[0-9a-f]+ +0x[0-9a-f]+ .*r-x?p? .*serve.state/
/libc/
/\[stack\]/
(gdb) info proc cmdline
cmdline = '...serve/state'
(gdb) info proc cwd
cwd = '...'
(gdb) info proc exe
exe = '...serve/state'
(gdb) info files
	Entry point: 0x...
(gdb) reverse-continue
(gdb) info proc mappings
/serve.state/
! /\.so\.6/
END

dialogue 'a core file', 'serve/state', <<'END';
(gdb) break choose
(gdb) run
(gdb) generate-core-file @D@/core
Saved corefile @D@/core
(gdb) shell gdb -nx -q -batch -ex bt -ex 'print value' -ex 'info threads' @B@/testsuite/serve/state @D@/core
#0  choose (value=4) at ...
#1  ... in main (argc=1, ...
$1 = 4
/\* 1 .*choose/
(gdb) continue
(gdb) reverse-continue
Breakpoint 1, choose (value=4) at ...
(gdb) generate-core-file @D@/core2
Saved corefile @D@/core2
(gdb) shell gdb -nx -q -batch -ex bt -ex 'print handled' @B@/testsuite/serve/state @D@/core2
#0  choose (value=4) at ...
$1 = 0
END

dialogue 'return, at the present and in the past', 'serve/state', <<'END';
(gdb) break choose
(gdb) run
(gdb) return 70
#0  ... in main (...
(gdb) next
(gdb) print chosen
$1 = 70
(gdb) tbreak signals
(gdb) continue
# It is history now: the function was left before it did anything, so no
# breakpoint is hit there.
(gdb) tbreak vectors_set
(gdb) reverse-continue
Temporary breakpoint 3, vectors_set () ...
(gdb) tbreak signals
(gdb) continue
Temporary breakpoint 4, signals () ...
(gdb) up
(gdb) print chosen
$2 = 70
# In the past a change is seen in a copy, which the next movement drops.
(gdb) down
(gdb) reverse-finish
(gdb) print chosen = 8
$3 = 8
(gdb) print chosen
$4 = 8
(gdb) stepi
(gdb) reverse-stepi
(gdb) print chosen
$5 = 70
END

done_testing;
