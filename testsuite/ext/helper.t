#!/usr/bin/perl
# The helper dies, by SIGKILL, at a prompt and while the program runs: GDB
# survives and says how to go on.  It is not said when the helper ends as it
# should.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Session;
use Test::More;

Session::require_extension ();

my $program = Session::compile ('loop', <<'END');
#include <unistd.h>
volatile long x;
int main (void)
{
  x = 1;
  for (;;)
    if (x++ % 1000000 == 0)
      getppid ();
}
END
my $advice = qr/^warning: Retro's helper has ended, and the recording with it\.  "run" or "attach" starts another one\.$/m;

# Kill the helper: the parent of the program and of its copies.
my $script = "$Session::dir/kill";
open my $file, '>', $script or die;
print $file <<"END";
#!/bin/sh
pid=\$(pgrep -o -f "^$program")
helper=\$(sed -n 's/^PPid:[^0-9]*//p' "/proc/\$pid/status")
kill -KILL "\$helper"
END
close $file or die;
chmod 0755, $script;

for my $command ('next', 'info timeline', 'reverse-watch x', 'reverse-next', 'print x', 'checkpoint', 'continue')
  {
    my $gdb = Session->new ($program, ['break 6', 'run', "shell $script", $command, 'info threads', 'undo',
                                       'reverse-watch x', 'info retro', 'print 6 * 7', 'run', 'reverse-stepi', 'info retro', 'kill'],
                            limit => 60, arguments => [$command]);
    my $said = join "\n", map { $gdb->nth ($_) } 2 .. 5;
    like ($said, $advice, "$command: the advice") or diag $gdb->output;
    is (scalar (() = $gdb->output =~ /$advice/g), 1, '... once');
    is ($gdb->of ('info threads'), 'No threads.', '... and there is no program');
    is ($gdb->of ('undo'), 'The program is not being run.', '... nor a past');
    like ($gdb->of ('print 6 * 7'), qr/= 42/, '... but GDB is there');
    like ($gdb->of ('run', 1), qr/^Breakpoint 1, main/m, '... and runs it again');
    like ($gdb->of ('info retro', 1), qr/^Recording a live program/m, '... recorded');
  }

# As it should be.
my $gdb = Session->new ($program, ['break 6', 'run', 'kill', 'run', 'run', 'disconnect', 'info retro', 'run', 'info retro',
                                   'set retro record off', 'run', 'kill']);
unlike ($gdb->output, qr/helper has ended/, 'kill, run and disconnect need no advice');
like ($gdb->of ('info retro', 1), qr/^Recording a live program/m, '... and run after them records');

done_testing ();
