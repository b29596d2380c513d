#!/usr/bin/perl
# GDB's machine interface, which editors speak, with a stock GDB.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__) . '/../serve';
use Stock;
use Test::More;

my $program = build_of ('serve/breaks');
my $mi = Stock::start ([$Stock::retro, 'gdb', '--stock', '-nx', '-q', '-i=mi', $program]);
my $log = '';

# All up to the next match of PATTERN.
sub until_seen
{
  my ($pattern) = @_;
  my $ok = $mi->expect ($pattern);
  my $text = $mi->{text};
  if ($ok && $text =~ $pattern)
    {
      $mi->{text} = substr $text, $+[0];
      $text = substr $text, 0, $+[0];
    }
  $log .= $text;
  return $ok ? $text : undef;
}

# Give COMMAND; its result record must match RESULT, and the *stopped record
# that follows STOPPED, if given.
my $token = 100;
# GDB 13 has no reason for it here (its documentation has).
use constant NO_HISTORY => qr/^\*stopped,(?:reason="no-history",)?frame=/;
sub says
{
  my ($command, $result, $stopped) = @_;
  $token++;
  $log = '';
  $mi->send_line ("$token$command");
  my $text = until_seen (qr/^$token\^[^\n]*\n/m) // '';
  my ($record) = $text =~ /^($token\^.*)$/m;
  my $ok = defined $record && $record =~ $result;
  if ($ok && defined $stopped)
    {
      $text = until_seen (qr/^\*stopped[^\n]*\n/m) // '';
      ($record) = $text =~ /^(\*stopped.*)$/m;
      $ok = defined $record && $record =~ $stopped;
    }
  ok ($ok, $command) or diag ($log);
}

until_seen (qr/^\(gdb\) *\n/m);
says ('-gdb-set confirm off', qr/\^done/);
says ('-list-target-features', qr/\^done,features=\[.*"reverse".*\]/);
says ('-break-insert work', qr/\^done,bkpt=\{number="1"/);
says ('-break-insert -c "value == 7" 17', qr/\^done,bkpt=\{number="2"/);
says ('-exec-run', qr/\^running/, qr/reason="breakpoint-hit".*bkptno="1".*func="work".*name="value",value="1"/);
says ('-exec-continue', qr/\^running/, qr/reason="breakpoint-hit".*bkptno="1".*value="2"/);
says ('-exec-next', qr/\^running/, qr/reason="end-stepping-range".*line="17"/);
says ('-exec-next --reverse', qr/\^running/, qr/reason="(end-stepping-range|breakpoint-hit)".*line="16"/);
says ('-exec-step', qr/\^running/, qr/reason="end-stepping-range".*line="17"/);
says ('-exec-step-instruction --reverse', qr/\^running/, qr/reason="end-stepping-range"/);
says ('-exec-next-instruction', qr/\^running/, qr/reason="end-stepping-range"/);
says ('-data-evaluate-expression sum', qr/\^done,value="3"/);
says ('-break-disable 1', qr/\^done/);
says ('-exec-continue', qr/\^running/, qr/reason="breakpoint-hit".*bkptno="2".*value="7"/);
says ('-data-evaluate-expression sum', qr/\^done,value="28"/);
says ('-break-watch sum', qr/\^done,wpt=\{number="3"/);
says ('-exec-continue --reverse', qr/\^running/, qr/reason="watchpoint-trigger".*old="28",new="21"/);
says ('-exec-finish --reverse', qr/\^running/, qr/func="main"/);
says ('-break-delete 3', qr/\^done/);
says ('-thread-info', qr/\^done,threads=\[\{id="1".*frame=.*func="main"/);
says ('-stack-list-frames', qr/\^done,stack=\[frame=\{level="0".*func="main"/);
says ('-exec-continue --reverse', qr/\^running/, NO_HISTORY);
says ('-exec-continue', qr/\^running/, qr/bkptno="2".*value="7"/);
says ('-break-delete 2', qr/\^done/);
says ('-exec-continue', qr/\^running/, NO_HISTORY);
says ('-interpreter-exec console "reverse-stepi"', qr/\^(running|done)/, qr/reason="end-stepping-range"/);
says ('-exec-continue', qr/\^running/, NO_HISTORY);
says ('-exec-continue', qr/\^running/, qr/reason="exited-normally"/);
$mi->send_line ('-gdb-exit');
ok ($mi->end, 'it exits');

done_testing;
