#!/usr/bin/perl
# Shared libraries: their symbols are there wherever in time one goes.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Session;
use Test::More;

Session::require_extension ();

$ENV{RETRO} //= "$Session::build/retro";
$ENV{SERVE_HELPER} = $ENV{RETRO};
my $program = Session::compile ('sorts', <<'END');
#include <stdlib.h>
static int compare (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}
int main (void)
{
  int v[] = { 3, 1, 2 };
  qsort (v, 3, sizeof v[0], compare);
  return v[0] - 1;
}
END

my @list = ('info symbol qsort', 'bt');
my $gdb = Session->new ($program, ['break compare', 'run', 'delete', 'reverse-continue', 'seek end',
                                   @list, 'seek begin', 'undo', @list]);
like ($gdb->of ('reverse-continue'), qr/^No more reverse-execution history\.\n.*_start/m, 'to the beginning');
for my $n (0, 1)
  {
    my $how = ('seek end', 'undo')[$n];
    like ($gdb->of ('info symbol qsort', $n), qr/^qsort in section \.text of .*libc/, "$how: the libraries are known");
    like ($gdb->of ('bt', $n), qr/^#0  compare .*\n(?:.*\n)*#\d+ .* (?:in )?main /, '... and the calls in them');
  }
done_testing ();
