#!/usr/bin/perl
# The hunt in redis-server finds its culprit, and doc/hunt.md quotes it.
# timeout: 900

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use lib dirname (__FILE__) . '/../lib';
use Quote;
use Test::More;

my $srcdir = $ENV{SRCDIR} // abs_path (dirname (__FILE__) . '/../..');
my $output = `"$srcdir/testsuite/bench/hunt" 2>&1`;
my $status = $? >> 8;

plan skip_all => 'no redis-server' if $status == 77;
is ($status, 0, 'the hunt succeeds') or diag ($output);
my @missing = Quote::missing ("$srcdir/doc/hunt.md", $output);
is_deeply (\@missing, [], 'what doc/hunt.md quotes is printed');
done_testing ();
