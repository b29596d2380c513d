#!/usr/bin/perl
# Expressions whose functions crash where data is half built: a search says
# nothing of that, and leaves nothing behind.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Session;
use Test::More;

Session::require_extension ();

my $program = Session::compile ('crash', <<'END');
#include <stdlib.h>
int *table, n, ready;
int sum (void)
{
  if (n == 3)
    abort ();
  return table[n] + n;
}
int first (void)
{
  return table[0];
}
int main (void)
{
  ready = 1;
  table = calloc (8, sizeof *table);
  for (n = 0; n < 5; n++)
    table[n] = n;
  ready = 2;
  return 0;
}
END

my @crash = (qr/Program received signal/, qr/\(gdb\)/, qr/signaled while/);

# --- At the prompt -----------------------------------------------------------

my $gdb = Session->new ($program, ['break 19', 'break sum', 'break first', 'run', 'reverse-watch first () == 0',
                                   'frame', 'backtrace', 'info threads', 'print ready', 'show unwindonsignal',
                                   'info breakpoints', 'seek end', 'reverse-watch sum () == 5', 'backtrace', 'seek end',
                                   'tbreak 17', 'reverse-continue', 'reverse-watch *(int *) 16 + first ()', 'frame',
                                   'seek begin', 'reverse-watch sum ()', 'frame', 'backtrace']);
unlike ($gdb->output, $_, "no $_") for @crash[0, 1];
like ($gdb->of ('reverse-watch first () == 0'),
      qr/^first \(\) == 0 cannot be evaluated here, in thread 1, and holds after this statement\n.*\nmain \(\) at .*crash\.c:16\n/,
      'evaluable from some statement on');
like ($gdb->of ('frame'), qr/^#0  main \(\) at .*crash\.c:16\n/, '... where the program stands');
like ($gdb->of ('backtrace'), qr/\A#0  main \(\) at .*crash\.c:16\z/, '... and nowhere else');
is ($gdb->of ('print ready'), '$1 = 1', '... with that moment\'s memory');
like ($gdb->of ('show unwindonsignal'), qr/is off\./, "the user's setting stays");
is (scalar (() = $gdb->of ('info breakpoints') =~ /^\d+ +breakpoint +keep y /mg), 3, 'breakpoints stay enabled');
unlike ($gdb->of ('info breakpoints'), qr/in first at .*\n\tbreakpoint already hit/, '... and were not hit');
like ($gdb->of ('backtrace', 1), qr/\A#0  main \(\) at .*crash\.c:1[67]\z/, 'a function that aborts');
like ($gdb->of ('reverse-watch *(int *) 16 + first ()'), qr/^Cannot access memory at address 0x10$/,
      'what cannot be evaluated now is an error');
like ($gdb->of ('reverse-watch sum ()'), qr/^The program being debugged was signaled while in a function called from GDB\./,
      '... as is a function that crashes now');
like ($gdb->of ('frame', 2), qr/^#0 .* _start \(\)/, '... and the program stays where it is');
like ($gdb->of ('backtrace', 2), qr/\A#0 .* _start \(\)[^\n]*(\n#1  0x0*1 in .*)?(\n.*){0,2}\z/, '... with its stack');

# --- MI ----------------------------------------------------------------------

my $mi = Session::mi ($program, [
  ['-break-insert 19', qr/^\^done/],
  ['-exec-run', qr/^\*stopped,reason="breakpoint-hit"/],
  ['-interpreter-exec console "set retro progress on"', qr/^\^done/],
  ['-interpreter-exec console "reverse-watch first () == 0"', qr/^\^(done|error)/]]);
my ($search) = $mi =~ /.*\*stopped,reason.*?^\^done\n(.*)/ms;
unlike ($search, qr/received signal|\*running|signal-name|=breakpoint/, 'MI: nothing of the crashes');
unlike ($search, qr/probes, between|\r|\e/, 'MI: no progress');
is (scalar (() = $search =~ /^\*stopped/mg), 1, 'MI: one stop');

done_testing ();
