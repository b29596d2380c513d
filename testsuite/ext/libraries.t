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

# A catchpoint at a probe of a library that was not there yet.
$program = Session::compile ('throws', <<'END');
int main ()
{
  for (int i = 0; i < 3; i++)
    try
      {
        throw i;
      }
    catch (int)
      {
      }
  return 0;
}
END
$gdb = Session->new ($program, ['break main', 'run', 'catch throw', 'reverse-continue', 'continue', 'continue',
                                'continue', 'reverse-continue', 'continue', 'info breakpoints']);
like ($gdb->of ('reverse-continue'), qr/^No more reverse-execution history\./m, 'back to before libstdc++, catching throws');
like ($gdb->of ('continue'), qr/^Breakpoint 1, main/m, '... and forward again');
like ($gdb->of ('continue', 1), qr/^Catchpoint 2 \(exception thrown\)/m, '... to a throw');
like ($gdb->of ('reverse-continue', 1), qr/^Catchpoint 2 \(exception thrown\)/m, 'back to a throw');
like ($gdb->of ('info breakpoints'), qr/catchpoint already hit 4 times/, 'each was counted');
done_testing ();
