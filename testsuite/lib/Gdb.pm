# A GDB that is talked to at its prompt, as by somebody typing.
#
#   my $gdb = Gdb->new ($retro, 'gdb', '-nx', $program);
#   my ($text, $seconds) = $gdb->command ('break main');
#   my @missed = $gdb->play (['run', qr/SIGSEGV/], ['A remark.'], ['up', qr/^#1/]);
#   $gdb->quit;
#
# GDB reads its commands from a pipe, so it prints its prompt but does not
# echo; the end of an answer is the next prompt.  The program's output comes
# through the same pipe, as on a terminal.  An answer that takes longer than
# the limit (in seconds) ends the session and dies.

package Gdb;

use strict;
use warnings;
use IO::Select;
use POSIX ();
use Time::HiRes qw(time);

sub new
{
  my ($class, @command) = @_;
  my $limit = ref $command[0] ? shift (@command)->{limit} : 120;
  pipe my $from, my $out or die "pipe: $!\n";
  pipe my $in, my $to or die "pipe: $!\n";
  my $pid = fork // die "fork: $!\n";
  if (!$pid)
    {
      close $from;
      close $to;
      setpgrp 0, 0;
      open STDIN, '<&', $in;
      open STDOUT, '>&', $out;
      open STDERR, '>&', $out;
      exec { $command[0] } @command or print STDERR "$command[0]: $!\n";
      POSIX::_exit (127);
    }
  close $in;
  close $out;
  $to->autoflush (1);
  my $self = bless { pid => $pid, to => $to, from => $from, limit => $limit }, $class;
  $self->{greeting} = $self->answer;
  return $self;
}

# Stop GDB and what it runs.
sub end
{
  my ($self) = @_;
  my $pid = delete $self->{pid} or return;
  kill 'KILL', -$pid;
  waitpid $pid, 0;
}

# All that is said up to the next prompt, or the end.
sub answer
{
  my ($self) = @_;
  my $select = IO::Select->new ($self->{from});
  my $text = '';
  my $until = time + $self->{limit};
  while ($text !~ s/\(gdb\) \z//)
    {
      if (!$select->can_read ($until > time ? $until - time : 0))
        {
          $self->end;
          die "no answer from GDB within $self->{limit} s; it said:\n$text\n";
        }
      if (!sysread $self->{from}, $text, 65536, length $text)
        {
          waitpid delete $self->{pid}, 0;
          last;
        }
    }
  return $text;
}

# Give a command; its answer, and how many seconds it took.
sub command
{
  my ($self, $line) = @_;
  local $SIG{PIPE} = 'IGNORE';
  my $start = time;
  print { $self->{to} } "$line\n";
  my $text = $self->answer;
  return wantarray ? ($text, time - $start) : $text;
}

# Give the commands of STEPS and print all as a transcript.  A step is a
# command and what GDB has to answer, or the lines of a remark.  The commands
# whose answers were others.
sub play
{
  my ($self, @steps) = @_;
  my @missed;

  print $self->{greeting};
  for my $step (@steps)
    {
      my ($command, $must) = @$step;
      if (ref $must ne 'Regexp')
        {
          print "\n", map ({ "# $_\n" } @$step), "\n";
          next;
        }
      print "(gdb) $command\n";
      my $answer = $self->command ($command);
      print $answer;
      push @missed, $command unless $answer =~ $must;
    }
  print "(gdb) \n";
  return @missed;
}

sub quit
{
  my ($self) = @_;
  return unless $self->{pid};
  my $text = $self->command ('quit');
  $self->end;
  return $text;
}

sub DESTROY
{
  my ($self) = @_;
  local ($?, $@);
  $self->end;
}

1;
