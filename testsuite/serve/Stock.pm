# Dialogues with a stock GDB: what a user types, and what the user sees.
#
#   dialogue 'a name', 'serve/program ARGS', <<'END';
#   (gdb) break work
#   Breakpoint 1 at ...: file .../program.c, line 12.
#   (gdb) run
#   ...
#   (gdb) continue
#   ^C when counting
#   Program received signal SIGINT, Interrupt.
#   END
#
# The program, below BUILD/testsuite unless it begins with a slash, is that of
# `retro gdb --stock'; GDB has nothing loaded, reads commands from a pipe and
# is waited for at each prompt.  After a command come lines that must be in
# its output, in this order, others between them:
#
#   text         the whole line; `...' in it stands for anything
#   /regex/      a line that matches
#   ! text       no line of this command's output is that (also ! /regex/)
#   ^C when T    interrupt GDB (by SIGINT, as a terminal does) once T was printed
#   > text       a line of input that has no prompt of ours (commands, define)
#   #            a remark
#
# Each dialogue is one test; one that fails shows the whole session.  What is
# left of it afterwards, a process or a snapshot, fails the dialogue as well.

package Stock;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename;
use File::Temp qw(tempdir);
use IO::Select;
use POSIX qw(WNOHANG);
use Test::More;

# Sessions have their directories in one of ours, to see that they go.
my $data = tempdir (CLEANUP => 1);
$ENV{XDG_DATA_HOME} = $data;

our @EXPORT = qw(dialogue build_of child_processes is_alive session_dirs wait_until);
our $srcdir = $ENV{SRCDIR} // abs_path (dirname (__FILE__) . '/../..');
our $build = $ENV{BUILD} // "$srcdir/build";
our $retro = $ENV{RETRO} // "$build/retro";
our $dir = tempdir (CLEANUP => 1);
# A command that has not ended by then hangs.
our $limit = $ENV{LIMIT} // 150;

my $prompt = '@@@ready@@@';

sub build_of
{
  my ($program) = @_;
  return $program =~ m,^/, ? $program : "$build/testsuite/$program";
}

# Poll for a condition that must come true; no test depends on how soon.
sub wait_until
{
  my ($condition, $seconds) = @_;
  for (1 .. ($seconds // $limit) * 50)
    {
      return 1 if $condition->();
      select undef, undef, undef, 0.02;
    }
  return 0;
}

# --- Processes ---------------------------------------------------------------------

# All processes as [pid, parent, state, name].
sub processes
{
  my @all;
  for my $path (glob '/proc/[0-9]*/stat')
    {
      open my $file, '<', $path or next;
      my $text = <$file> // next;
      push @all, [$1, $4, $3, $2] if $text =~ /^(\d+) \((.*)\) (\S) (\d+)/s;
    }
  return @all;
}

# Those below PID, itself left out; the dead left out.
sub child_processes
{
  my ($pid) = @_;
  my @all = processes ();
  my %inside = ($pid => 1);
  my @found;
  for (my $more = 1; $more;)
    {
      $more = 0;
      for my $process (@all)
        {
          next if $inside{$process->[0]} || !$inside{$process->[1]};
          $inside{$process->[0]} = $more = 1;
          push @found, $process;
        }
    }
  return grep { $_->[2] !~ /[ZX]/ } @found;
}

sub is_alive
{
  my ($pid) = @_;
  return grep { $_->[0] == $pid && $_->[2] !~ /[ZX]/ } processes ();
}

# What sessions keep on disk as long as they live.
sub session_dirs
{
  return glob "$data/retro/session-*";
}

# --- A session ---------------------------------------------------------------------

sub start
{
  my ($command) = @_;
  my $self = { text => '', log => '' };
  pipe my $in, $self->{to} or die;
  pipe $self->{from}, my $out or die;
  $self->{to}->autoflush (1);
  my $pid = fork // die;
  if (!$pid)
    {
      close $self->{to};
      close $self->{from};
      open STDIN, '<&', $in;
      open STDOUT, '>&', $out;
      open STDERR, '>&', $out;
      delete $ENV{DEBUGINFOD_URLS};
      exec @$command or POSIX::_exit (127);
    }
  $self->{pid} = $pid;
  return bless $self;
}

# Read until PATTERN has come; FALSE when GDB is gone or hangs.
sub expect
{
  my ($self, $pattern, $seconds) = @_;
  my $select = IO::Select->new ($self->{from});
  my $end = time + ($seconds // $limit);
  while ($self->{text} !~ $pattern)
    {
      return 0 if time > $end;
      next unless $select->can_read (1);
      return 0 unless sysread $self->{from}, $self->{text}, 65536, length $self->{text};
    }
  return 1;
}

sub send_line
{
  my ($self, $line) = @_;
  local $SIG{PIPE} = 'IGNORE';
  print {$self->{to}} "$line\n";
}

# Up to the prompt; the text before it.
sub finish
{
  my ($self) = @_;
  # Prompts for more input may stand before it.
  my $ok = $self->expect (qr/^>*\Q$prompt\E\n/m);
  my $text = $self->{text};
  if ($ok)
    {
      $text =~ s/^(>*)\Q$prompt\E\n(.*)\z/$1/ms;
      $self->{text} = $2;
    }
  else
    {
      $self->{text} = '';
    }
  $self->{log} .= $text;
  $self->{log} .= "(GDB is gone, or hangs)\n" unless $ok;
  return ($ok, $text);
}

# What ended by itself (`quit') is waited for; all else is killed.
sub end
{
  my ($self) = @_;
  my @below = child_processes ($self->{pid});
  close $self->{to};
  my $gone = 0;
  wait_until (sub { $gone ||= waitpid ($self->{pid}, WNOHANG) != 0 }, 60);
  if (!$gone)
    {
      kill 'KILL', $self->{pid};
      waitpid $self->{pid}, 0;
      $self->{log} .= "(GDB did not end)\n";
    }
  # The helper, the program and all copies of it are to vanish with GDB.
  my $left = sub {
    my %now = map { $_->[0] => $_ } grep { $_->[2] !~ /[ZX]/ } processes ();
    return grep { $now{$_->[0]} && $now{$_->[0]}[3] eq $_->[3] } @below;
  };
  my $clean = wait_until (sub { !$left->() }, 60);
  for my $process ($clean ? () : $left->())
    {
      $self->{log} .= "(left behind: $process->[0] $process->[3])\n";
      kill 'KILL', $process->[0];
    }
  my $tidy = wait_until (sub { !session_dirs () }, 60);
  $self->{log} .= "(left behind: $_)\n" for $tidy ? () : session_dirs ();
  return $gone && $clean && $tidy;
}

# --- Expectations ---------------------------------------------------------------------

sub line_pattern
{
  my ($text) = @_;
  return qr/$1/ if $text =~ m,^/(.*)/$,;
  my $quoted = join '.*', map { quotemeta } split /\.\.\./, $text, -1;
  return qr/^$quoted$/;
}

# Compare TEXT with the expectations; a list of complaints.
sub compare
{
  my ($text, $wanted) = @_;
  my @lines = split /\n/, $text;
  my (@complaints, $at);
  $at = 0;
  for my $want (@$wanted)
    {
      if ($want =~ /^! (.*)/)
        {
          my $pattern = line_pattern ($1);
          push @complaints, "unwanted: $1" if grep { $_ =~ $pattern } @lines;
          next;
        }
      my $pattern = line_pattern ($want);
      my $found = $at;
      $found++ while $found < @lines && $lines[$found] !~ $pattern;
      if ($found < @lines)
        {
          $at = $found + 1;
        }
      else
        {
          push @complaints, "missing: $want";
        }
    }
  return @complaints;
}

# A dialogue's text as a list of [command, input, interrupt, expectations].
sub parse
{
  my ($text) = @_;
  my @steps;
  for my $line (split /\n/, $text)
    {
      if ($line =~ /^\(gdb\) ?(.*)/)
        {
          push @steps, { command => $1, input => [], wanted => [] };
        }
      elsif ($line =~ /^> ?(.*)/)
        {
          push @{$steps[-1]{input}}, $1;
        }
      elsif ($line =~ /^\^C when (.*)/)
        {
          $steps[-1]{interrupt} = $1;
        }
      elsif ($line !~ /^#/ && $line =~ /\S/ && $line ne '...')
        {
          push @{$steps[-1]{wanted}}, $line;
        }
    }
  return @steps;
}

sub play
{
  my ($self, $step) = @_;
  $self->{log} .= "(gdb) $step->{command}\n";
  $self->send_line ($_) for $step->{command}, @{$step->{input}};
  if (defined $step->{interrupt})
    {
      kill 'INT', $self->{pid} if $self->expect (qr/\Q$step->{interrupt}\E/);
    }
  my ($ok, $text) = $self->finish ();
  # `quit', and whatever ends GDB on purpose.
  $ok = 1 if $step->{command} eq 'quit';
  my @complaints = compare ($text, $step->{wanted});
  $self->{log} .= "#### $_\n" for @complaints;
  return $ok && !@complaints;
}

# OPTIONS: command => [...] instead of retro gdb on the program; env => {...}.
sub dialogue
{
  my ($name, $program, $text, %options) = @_;
  my ($file, @arguments) = split ' ', $program;
  local %ENV = (%ENV, %{$options{env} // {}});
  my @settings = map { ('-iex', $_) } 'set width 0', 'set height 0', 'set confirm off', 'set style enabled off',
    "set prompt $prompt\\n";
  my @command = $options{command} ? @{$options{command}} : ($retro, 'gdb', '--stock');
  my $self = start ([@command, '-nx', '-q', @settings, @{$options{options} // []},
                     @arguments ? '--args' : (), $file ne '' ? build_of ($file) : (), @arguments]);
  my ($ok, $all_ok) = $self->finish ();
  $all_ok = $ok;
  $text =~ s/\@D\@/$dir/g;
  $text =~ s/\@B\@/$build/g;
  $text =~ s/\@RETRO\@/$retro/g;
  for my $step ($ok ? parse ($text) : ())
    {
      $all_ok = 0 unless $self->play ($step);
      last if $self->{log} =~ /\(GDB is gone, or hangs\)\n\z/;
    }
  $all_ok = 0 unless $self->end ();
  ok ($all_ok, $name) or diag ($self->{log});
  return $all_ok;
}

1;
