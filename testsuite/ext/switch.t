#!/usr/bin/perl
# Recording on and off, and targets that are not ours: where nothing is
# recorded GDB is as without Retro.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Session;
use Test::More;

Session::require_extension ();

my $retro = $ENV{RETRO} // "$Session::build/retro";
my $program = Session::compile ('switch', <<'END');
#include <stdlib.h>
int x;
int main (int argc, char **argv)
{
  x = argc;
  if (argc > 1)
    abort ();
  return 0;
}
END

# What GDB says to COMMANDS, by "retro gdb".
sub retro_gdb
{
  my (@arguments) = @_;
  my $pid = open my $pipe, '-|';
  if (!$pid)
    {
      open STDERR, '>&', \*STDOUT;
      open STDIN, '<', '/dev/null';
      exec 'timeout', '-k5', 120, $retro, 'gdb', '-nx', '-batch', '-iex', 'set width 0', @arguments or exit 127;
    }
  local $/;
  my $output = <$pipe> // '';
  close $pipe;
  return $output;
}

sub by_ex
{
  return map { ('-ex', $_) } @_;
}

# --- On and off, in one session ------------------------------------------------

my @both = (['the extension', sub { Session->new ($program, [@_])->output }],
            ['retro gdb', sub { retro_gdb (by_ex (@_), $program) }]);
for (@both)
  {
    my ($name, $run) = @$_;
    my $output = $run->('set retro record off', 'break 5', 'run', 'info retro', 'print $_retro_event',
                        'set retro record on', 'run', 'info retro', 'print $_retro_event > 0',
                        'set retro record off', 'start', 'info retro', 'reverse-stepi',
                        'set retro record on', 'starti', 'info retro', 'kill', 'info retro', 'run', 'info retro');
    my @said = $output =~ /^(The program is not being recorded|Recording a live program|Programs that are run or attached to are recorded)/mg;
    is_deeply ([map { substr $_, 0, 9 } @said], ['The progr', 'Recording', 'The progr', 'Recording', 'Programs ', 'Recording'],
               "$name: each run is as the setting says") or diag $output;
    like ($output, qr/^\$1 = void\n.*^\$2 = 1\n/ms, "$name: ... and variables, too");
    like ($output, qr/^Target \S+ does not support this command\.$/m, "$name: ... and commands");
    is (scalar (() = $output =~ /^Breakpoint 1, main /mg), 4, "$name: ... and breakpoints stay");
  }

# --- Targets -------------------------------------------------------------------

# No target before there is something to run.
my $output = retro_gdb (by_ex ('info files', 'print x', 'target native', 'run', 'info retro'), $program);
unlike ($output, qr/^Remote debugging|extended-remote/m, 'no target is there before the first run');
like ($output, qr/^\$1 = 0$/m, '... and the program\'s data can be read');
like ($output, qr/exited normally/, 'the native target, if chosen');
unlike ($output, qr/Recording|A recording/, '... is left alone');

SKIP:
  {
    my $gcore = "$Session::dir/core";
    Session->new ($program, ['set retro record off', 'break 5', 'run', "generate-core-file $gcore"]);
    skip 'no core file could be made', 4 unless -s $gcore;
    $output = retro_gdb (by_ex ('print x', 'backtrace', 'reverse-watch x', 'info timeline', 'run', 'info retro'), $program, $gcore);
    like ($output, qr/^#0 +main \(argc=1, .*^\$1 = 0$/ms, 'a core file');
    is (scalar (() = $output =~ /^The program is not being run\.$/mg), 2, '... has no past');
    like ($output, qr/exited with status 0/, '... and "run" runs');
    like ($output, qr/^A recording: /m, '... recorded');
  }

# Attaching by -p is recorded, natively where recording is off.
for my $setting ('on', 'off')
  {
    my $child = fork // die;
    exec 'sleep', 100 or exit 127 if !$child;
    1 while (readlink "/proc/$child/exe" // '') !~ /sleep|coreutils/;
    $output = retro_gdb ('-iex', "set retro record $setting", '-p', $child, by_ex ('info retro', 'detach'));
    $output = retro_gdb ('-ex', "set retro record $setting", '-ex', "attach $child", by_ex ('info retro', 'detach')) if $setting eq 'off';
    like ($output, $setting eq 'on' ? qr/^Recording a live program/m : qr/^The program is not being recorded/m,
          "attach, with recording $setting");
    like ($output, qr/^\[Inferior 1 \(.*\) detached\]$/m, '... and detach');
    kill 'KILL', $child;
    waitpid $child, 0;
  }

# --- Two inferiors ---------------------------------------------------------------

my $gdb = Session->new ($program, ['break 5', 'run', 'add-inferior -no-connection', 'inferior 2', 'info retro', 'undo',
                                   "file $program", 'set retro record off', 'run', 'info retro', 'inferior 1', 'info retro',
                                   'next', 'reverse-next', 'print x']);
is ($gdb->of ('undo'), 'The program is not being run.', 'an inferior without a process');
like ($gdb->of ('info retro', 1), qr/not being recorded/, '... runs natively beside a recorded one') or diag $gdb->output;
like ($gdb->of ('info retro', 2), qr/Recording a live/, '... which stays recorded');
is ($gdb->of ('print x'), '$1 = 0', '... and goes backwards');

done_testing ();
