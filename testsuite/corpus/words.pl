# Count words, sort, match, pack and fork: an ordinary perl script.
use strict;
use warnings;
use List::Util qw(sum shuffle);
use POSIX qw(floor);

my %count;
while (<>)
  {
    $count{lc $1}++ while /(\w+)/g;
  }
my @top = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
printf "%-10s %d\n", $_, $count{$_} for @top[0 .. 9];
print sum (values %count), " words, ", scalar keys %count, " different\n";
srand 42;
my @mixed = shuffle 1 .. 20000;
print join (' ', (sort { $a <=> $b } @mixed)[0, 9999, 19999]), "\n";
my $text = join ',', map { sprintf '%05x', $_ * 7919 % 65536 } 1 .. 20000;
my $n = () = $text =~ /(\w)\1/g;
print "$n pairs, ", unpack ('%32C*', $text), "\n";
open my $child, '-|', 'echo', 'from a child' or die;
print <$child>;
close $child;
print floor (sqrt 1e9), "\n";
