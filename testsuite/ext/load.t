#!/usr/bin/perl
# One line in .gdbinit is all it takes: the extension loads, also when "retro
# gdb" loads it as well, and what follows that line is read; the program has
# GDB's own input and output.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Session;
use Test::More;

Session::require_extension ();

my $program = Session::compile ('echo', <<'END');
#include <stdio.h>
int main (void)
{
  char line[80];
  if (fgets (line, sizeof line, stdin) != NULL)
    printf ("read: %s", line);
  fflush (stdout);
  return 0;
}
END
my $home = "$Session::dir/home";
my $load = "jit-reader-load $Session::extension";
mkdir $home or die "$home: $!\n";

sub write_file
{
  my ($name, $text) = @_;
  open my $file, '>', $name or die "$name: $!\n";
  print $file $text;
  close $file or die;
}

# What the COMMAND of GDB says, with a line of input for the program; its
# errors, GDB's and the program's, follow.
sub output_of
{
  my @command = @_;
  write_file ("$home/input", "a line of input\n");
  local %ENV = (%ENV, HOME => $home);
  my $pid = open my $pipe, '-|';
  if (!$pid)
    {
      open STDIN, '<', "$home/input";
      open STDERR, '>', "$home/errors";
      exec 'timeout', '-k5', 120, @command or exit 127;
    }
  local $/;
  my $output = <$pipe> // '';
  close $pipe;
  open my $errors, '<', "$home/errors" or die;
  return ($output, <$errors> // '');
}

my @session = ('-batch', '-ex', 'show retro seed', '-ex', 'run', '-ex', 'info retro', $program);
for my $lines ("$load\nset retro seed 5\n", "$load\n$load\nset retro seed 5\n")
  {
    write_file ("$home/.gdbinit", $lines);
    for my $way (['the GDB itself', $Session::gdb], ['retro gdb', $ENV{RETRO} // "$Session::srcdir/retro", 'gdb'])
      {
        my ($name, @gdb) = @$way;
        my ($output, $errors) = output_of (@gdb, @session);
        $name .= ', loaded twice' if $lines =~ /load.*load/s;
        like ($output, qr/scheduler is 5\./, "$name: all of .gdbinit is read");
        like ($output, qr/^A recording: /m, "$name: the program was recorded");
        like ($output, qr/^read: a line of input$/m, "$name: the program has GDB's input and output");
        unlike ($errors, qr/JIT|warning/, "$name: nothing to complain of");
      }
  }

# GDB looks for the program in PATH, and it is that one that runs.
write_file ("$home/.gdbinit", '');
for my $option ('-q', '--stock')
  {
    local $ENV{PATH} = "$Session::dir:$ENV{PATH}";
    my ($output) = output_of ($ENV{RETRO} // "$Session::srcdir/retro", 'gdb', $option, '-batch', '-ex', 'run', 'echo');
    like ($output, qr/^read: a line of input$/m, "$option: a program in PATH runs");
  }

# GDB has room for one reader; ours does not take it from a true one.
my ($output, $errors) = output_of ($Session::gdb, '-batch', '-ex', $load, '-ex', 'jit-reader-load /dev/null',
                                   '-ex', 'help undo');
like ($errors, qr/Could not load/, 'another reader would be loaded');
like ($output, qr/^Usage: undo/m, '... and the commands stay');

done_testing ();
