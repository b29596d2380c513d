#!/usr/bin/perl
# Live steps and breakpoints at a rep instruction, one iteration each, and going
# back over them; a step into a library's function for the first time, which
# leads through the dynamic loader's resolver (and its rep instruction), and back
# without a stop there.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Session;
use Test::More;

Session::require_extension ();

my $program = Session::compile ('rep', <<'END', '-Wl,-z,lazy');
#include <string.h>
char a[64];
int main (void)
{
  char *d = a;
  long c = 20;
  __asm__ volatile ("fill: rep stosb" : "+D" (d), "+c" (c) : "a" (7) : "memory");
  a[0] = 1;
  char *copy = strdup ("text");
  return copy == NULL;
}
END

my $bad = qr/not as recorded|diverged|differs/;

my $gdb = Session->new ($program, ['break *&fill', 'run', 'delete', ('stepi') x 5, 'print $rcx', 'print a[4]', 'reverse-stepi',
                                   'print $rcx', 'print a[4]', 'reverse-stepi', 'stepi', 'stepi', 'stepi', 'print $rcx', 'tbreak 8',
                                   'continue', 'reverse-stepi', 'print $rcx', 'seek begin', 'seek end', 'print a[19]']);
unlike ($gdb->output, $bad, 'steps through rep replay');
is_deeply ([map { $gdb->of ('print $rcx', $_) =~ /= (\d+)/ } 0 .. 3], [15, 16, 14, 0], '... one iteration each, both ways')
  or diag $gdb->output;
is_deeply ([map { $gdb->of ('print a[4]', $_) =~ /= (\d+)/ } 0, 1], [7, 0], '... with its memory');
like ($gdb->of ('print a[19]'), qr/= 7/, '... to the end');

$gdb = Session->new ($program, ['break *&fill', 'run', 'continue', 'continue', 'print $rcx', 'reverse-continue', 'print $rcx', 'seek end',
                                'watch a[9]', 'delete 1', 'continue', 'print $rcx < 20', 'tbreak 10', 'continue', 'reverse-continue',
                                'print a[9]', 'seek begin', 'continue', 'print a[9]']);
unlike ($gdb->output, $bad, 'breakpoints at rep, and watchpoints, replay');
like ($gdb->of ('print a[9]'), qr/= 0/, '... and backwards') or diag $gdb->output;
like ($gdb->of ('print a[9]', 1), qr/= 7/, '... and forwards again');

$gdb = Session->new ($program, ['break 9', 'run', 'step', 'reverse-step', 'reverse-next', 'step', 'step', 'reverse-finish',
                                'seek end', 'reverse-watch copy']);
unlike ($gdb->output, $bad, 'the resolver replays');
like ($gdb->of ('step'), qr/strdup|^10\t/m, 'step, into the function if it has lines');
like ($gdb->of ('reverse-step'), qr/^9\t/m, 'reverse-step leads past the resolver') or diag $gdb->output;
like ($gdb->of ('reverse-next'), qr/^8\t/m, '... and on');
unlike ($gdb->output, qr/_dl_|trampoline/, '... and nothing of it is seen');

done_testing ();
