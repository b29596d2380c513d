#!/usr/bin/perl
# `make demo' plays its sessions, and README.md quotes what it prints.
#
# The commands and files that README.md names must exist, too.

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use lib dirname (__FILE__) . '/../lib';
use Quote;
use Test::More;

my $srcdir = $ENV{SRCDIR} // abs_path (dirname (__FILE__) . '/../..');
my $build = $ENV{BUILD} // "$srcdir/build";

sub output_of
{
  my @command = @_;
  my $pid = open my $pipe, '-|';
  if (!$pid)
    {
      open STDERR, '>&', \*STDOUT;
      exec @command or exit 127;
    }
  local $/;
  my $output = <$pipe> // '';
  close $pipe;
  return ($output, $? >> 8);
}

sub read_file
{
  my ($name) = @_;
  open my $file, '<', $name or die "$name: $!\n";
  local $/;
  return scalar <$file>;
}

# --- Options -----------------------------------------------------------------

my ($help, $status) = output_of ("$srcdir/examples/demo", '--help');
is ($status, 0, 'demo --help');
like ($help, qr/^Usage: make demo/, '... says how to use it');
my ($refusal, $refused) = output_of ("$srcdir/examples/demo", 'no-such-session');
is ($refused, 2, 'an unknown session');
like ($refusal, qr/no session 'no-such-session'/, '... is named');

# --- Commands that README.md tells its readers to use ------------------------

my $readme = read_file ("$srcdir/README.md");
is (readlink "$srcdir/README", 'README.md', 'README is README.md');
my $makefile = read_file ("$srcdir/Makefile.in");
for my $target (sort keys %{{map { $_ => 1 } $readme =~ /(?:`|^    )make ([a-z-]+)\b/mg}})
  {
    ok ($makefile =~ /^\Q$target\E:/m, "make $target is there");
  }
my ($commands) = output_of ("$build/retro", '--help');
for my $command (sort keys %{{map { $_ => 1 } $readme =~ m,(?:\./|`)retro ([a-z]+)\b,g}})
  {
    like ($commands, qr/^  \Q$command\E /m, "retro $command is there");
  }
for my $file (sort keys %{{map { $_ => 1 } $readme =~ /\]\(([^):]+)\)/g}})
  {
    ok (-e "$srcdir/$file", "$file is there");
  }

# --- The sessions ------------------------------------------------------------

SKIP:
  {
    skip 'no extension was built', 1 unless -e "$build/retro.so" && -e "$build/gdb/bin/gdb";

    my ($demo, $demo_status) = output_of ("$srcdir/examples/demo");
    is ($demo_status, 0, 'the demo runs') or diag ($demo);
    for my $line (qr/^\(gdb\) reverse-watch has_cycle\(\) == 0$/m, qr/^add_edge \(from=9972, target=14966\) at .*graph\.c:\d+$/m,
                  qr/^\d+\t  head\[from\] = n_edges\+\+;$/m, qr/^\(gdb\) reverse-watch q->mut == 0$/m,
                  qr/^queue_delete \(queue=0x\w+\) at .*order\.c:\d+$/m, qr/^\d+\t  queue->mut = NULL;$/m,
                  qr/^\d+\t  queue_delete \(q\); /m)
      {
        ok ($demo =~ $line, "the demo prints $line");
      }

    my @missing = Quote::missing ("$srcdir/README.md", $demo);
    is_deeply (\@missing, [], 'what README.md quotes is printed');
  }

done_testing ();
