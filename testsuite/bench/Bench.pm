# What the benchmarks share: timing, and lines of tables.
#
# Times are wall-clock seconds, the least of a few runs that alternate between
# the things compared, so that another program's work disturbs all alike.

package Bench;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename;
use File::Temp qw(tempdir);
use Time::HiRes qw(time);

our @EXPORT = qw(program retro temp timed least median heading row note cell);

my $srcdir = $ENV{SRCDIR} // abs_path (dirname (__FILE__) . '/../..');
my $build = $ENV{BUILD} // "$srcdir/build";
my $temp = tempdir ('retro-bench.XXXXXX', TMPDIR => 1, CLEANUP => 1);
$ENV{XDG_DATA_HOME} = "$temp/data";

# A program of the tree, such as testsuite/bench/compute.
sub program
{
  my ($name) = @_;
  my $path = "$build/$name";
  -x $path or die "bench: $path was not built; run \"make programs\"\n";
  return $path;
}

sub retro
{
  return $ENV{RETRO} // "$srcdir/retro";
}

# A path in a directory that vanishes at the end.
sub temp
{
  my ($name) = @_;
  return "$temp/$name";
}

# Run COMMAND without stdin; its seconds, and its wait status.  Its outputs go
# to temp ('out').
sub timed
{
  my @command = @_;
  my $start = time;
  my $pid = fork // die "fork: $!\n";
  if (!$pid)
    {
      open STDIN, '<', '/dev/null';
      open STDOUT, '>', temp ('out');
      open STDERR, '>&', \*STDOUT;
      exec { $command[0] } @command or print STDOUT "$command[0]: $!\n";
      POSIX::_exit (127);
    }
  waitpid $pid, 0;
  return (time - $start, $?);
}

sub least
{
  my ($least) = sort { $a <=> $b } @_;
  return $least;
}

sub median
{
  my @sorted = sort { $a <=> $b } @_;
  return $sorted[$#sorted / 2];
}

# --- Tables: a name of 34 columns, then cells of 10, the last one open ended ---

sub row
{
  my ($name, @cells) = @_;
  my $last = pop @cells;
  my $line = sprintf '  %-34s', $name;
  $line .= sprintf ' %10s', $_ for @cells;
  $line .= "   $last" if defined $last && $last ne '';
  print "$line\n";
}

sub heading
{
  my ($title, @cells) = @_;
  print "\n$title\n";
  row ('', @cells) if @cells;
}

sub note
{
  print "  $_\n" for @_;
}

# A number for a cell, or a dash.
sub cell
{
  my ($format, $value) = @_;
  return defined $value ? sprintf ($format, $value) : '-';
}

# Progress, where somebody looks at it.
STDOUT->autoflush (1);

1;
