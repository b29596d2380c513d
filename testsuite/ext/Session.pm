# What the tests of the extension share: GDB sessions.
#
#   my $gdb = Session->new ('file', ['break main', 'run']);
#   $gdb->output            all that GDB said
#   $gdb->of ('info retro') what followed that command, up to the next one
#   $gdb->nth (1)           what followed the second one
#   Session::mi ('file', [['-exec-run', qr/^\*stopped/]])   what GDB/MI said
#
# A session is one run of the GDB of build/gdb with build/retro.so, fed with
# commands by -ex, in batch mode, so each runs even if one before it failed.  The output of each command is found
# by marks that are echoed between them.  Without the extension (configured out)
# all tests are skipped.

package Session;

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use IPC::Open2;

our $srcdir = $ENV{SRCDIR} // abs_path (dirname (__FILE__) . '/../..');
our $build = $ENV{BUILD} // "$srcdir/build";
our $extension = $ENV{RETRO_SO} // "$build/retro.so";
our $gdb = "$build/gdb/bin/gdb";
our $dir = tempdir (CLEANUP => 1);
our $pid; # of the GDB of mi

sub available
{
  return -r $extension && -x $gdb;
}

# Print a plan that skips everything, and exit, unless there is an extension.
sub require_extension
{
  return if available ();
  print "1..0 # SKIP no extension was built\n";
  exit 0;
}

# A line of -batch output never looks like this.
my $mark = '@@@';

sub new
{
  my ($class, $program, $commands, %options) = @_;
  my $limit = $options{limit} // 120;

  my @arguments = ('timeout', '-k5', $limit, $gdb, '-nx', '-batch', '-iex', "jit-reader-load $extension",
                   map ({ ('-ex', $_) } 'set confirm off', 'set width 0', 'set style enabled off',
                        map ({ ("echo \\n$mark$_\\n", $commands->[$_]) } 0 .. $#$commands)),
                   '--args', $program, @{$options{arguments} // []});
  local %ENV = (%ENV, %{$options{environment} // {}});
  my $pid = open my $pipe, '-|';
  if (!$pid)
    {
      open STDERR, '>&', \*STDOUT;
      open STDIN, '<', '/dev/null';
      exec @arguments or exit 127;
    }
  local $/;
  my $output = <$pipe> // '';
  close $pipe;
  my (%of, @nth);
  my @parts = split /^\Q$mark\E(\d+)\n/m, $output;
  shift @parts;
  while (@parts)
    {
      my ($number, $text) = splice @parts, 0, 2;
      $text =~ s,\n+\z,,;
      push @{$of{$commands->[$number]}}, $text;
      $nth[$number] = $text;
    }
  return bless { output => $output, of => \%of, nth => \@nth, status => $? >> 8 }, $class;
}

sub output
{
  return $_[0]{output};
}

# Of the N-th (from 0) time that COMMAND was given.
sub of
{
  my ($self, $command, $n) = @_;
  return $self->{of}{$command}[$n // 0] // '(no such command ran)';
}

# Of the command number N (from 0).
sub nth
{
  my ($self, $n) = @_;
  return $self->{nth}[$n] // '(no such command ran)';
}

# A conversation in MI: each step is a command and what ends the answer to it,
# then code to be called in between (or none).  All that was said.
sub mi
{
  my ($program, $steps) = @_;
  my $output = '';
  $pid = open2 (my $from, my $to, $gdb, '-nx', '-q', '--interpreter=mi3', '-iex', "jit-reader-load $extension", $program);
  local $SIG{ALRM} = sub { kill 9, $pid };
  alarm 120;
  for my $step (@$steps, ['-gdb-exit', qr/^\^exit/])
    {
      my ($command, $end, $meanwhile) = @$step;
      print $to "$command\n";
      $to->flush ();
      $meanwhile->() if $meanwhile;
      while (my $line = <$from>)
        {
          $output .= $line;
          last if $line =~ $end;
        }
    }
  waitpid $pid, 0;
  alarm 0;
  return $output;
}

# Compile C text with line numbers as in TEXT; the program's name.
sub compile
{
  my ($name, $text, @flags) = @_;
  my $source = "$dir/$name" . ($text =~ /\bclass\b|\bthrow\b/ ? '.cc' : '.c');
  open my $out, '>', $source or die;
  print $out $text;
  close $out or die;
  my $compiler = $source =~ /cc$/ ? 'g++' : 'gcc';
  system ($compiler, '-g', '-O0', '-pthread', '-o', "$dir/$name", $source, @flags) == 0 or die "cannot compile $name";
  return "$dir/$name";
}

1;
