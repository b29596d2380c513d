#!/usr/bin/perl
# reverse-watch against brute force, as a user sees it: recordings of programs
# made by "generate", of which unit/search knows all flips of some expressions.
#
# The instruction and the thread must be those of a flip, with -last those of
# the last one; the program must stand in the line that holds the instruction
# (in some line of the program, if that is in a library, unless the report says
# why it is not), where the expression still has another value than at the end;
# and if it flips only once, "next" must show that.
# What is at the start as at the end is refused, but for -last.
#
# SEED in the environment chooses one program; RETRO_TEST_LONG makes it more.

use strict;
use warnings;
no warnings qw(portable);
use File::Basename;
use lib dirname (__FILE__) . '/../ext';
use Session;
use Test::More;

Session::require_extension ();

my $retro = $ENV{RETRO} // "$Session::build/retro";

# What the program looks like where it stands now.
my @look = ('print $_retro_pc', 'info line *$_retro_pc', 'thread', 'frame', 'print EXPR');

sub test_program
{
  my ($seed) = @_;
  my $dir = "$Session::dir/$seed";
  mkdir $dir or die;
  my @lines = `$Session::build/testsuite/unit/search --oracle $seed $dir` or die "no oracle for seed $seed";
  my @exprs;
  for (@lines)
    {
      chomp;
      my ($expr, $same, $flips) = split /\t/;
      my @flips = map { my ($event, $pc, $tid, $by_event) = split /,/; { pc => hex $pc, tid => $tid } } split ' ', $flips // '';
      # Each second one is evaluated by GDB, since it does not compile.
      push @exprs, { text => @exprs % 2 ? "$expr + \$zero" : $expr, flips => \@flips,
                     same => $same } if @flips;
    }
  my @commands = ('set sysroot /', "target extended-remote | exec $retro serve --replay=$dir/rec", 'set $zero = 0',
                  'handle SIGUSR1 nostop noprint pass');
  for my $expr (@exprs)
    {
      my @here = map { s/EXPR/$expr->{text}/r } @look;
      $expr->{at} = @commands;
      push @commands, "print $expr->{text}", "reverse-watch $expr->{text}", @here, 'next', $here[-1], 'seek end';
      push @commands, "reverse-watch -last $expr->{text}", @here, 'next', $here[-1], 'seek end' if $expr->{text} !~ /zero/;
    }
  my $gdb = Session->new ("$dir/prog", \@commands, limit => 300);
  for my $expr (@exprs)
    {
      my $at = $expr->{at};
      my ($end) = value ($gdb->nth ($at));
      check ($expr, 0, $end, map { $gdb->nth ($at + $_) } 1 .. 8) or diag "seed $seed, in $dir";
      check ($expr, 1, $end, map { $gdb->nth ($at + 9 + $_) } 1 .. 8) or diag "seed $seed" if $expr->{text} !~ /zero/;
    }
}

sub value
{
  return $_[0] =~ /^\$\d+ = (-?\d+)/ ? $1 : 'none';
}

sub check
{
  my ($expr, $last, $end, $report, $pc_text, $line, $thread, $frame, $before, $next, $after) = @_;
  my @flips = @{$expr->{flips}};
  my ($pc) = $pc_text =~ /(0x[0-9a-f]+)/;
  my ($tid) = $thread =~ /\(Thread \d+\.(\d+)\)/;
  # Of the C library there may be lines, but there is no source.
  my $want_line = $line =~ /^Line (\d+) of "(prog\.c)"/ ? "$2:$1" : undef;
  my ($have_line) = $frame =~ / at (\S+:\d+)/;
  my @wrong;

  return like ($report, qr/^\Q$expr->{text}\E (is .* already|holds .* already|does not hold .* nor) where the search starts/, "$expr->{text} is so at the start")
    if $expr->{same} && !$last;

  @flips = $flips[-1] if $last;
  $pc = hex ($pc // 0);
  push @wrong, sprintf ('the instruction is at 0x%x', $pc) if !grep { $_->{pc} == $pc } @flips;
  push @wrong, "thread $tid" if !grep { $_->{pc} == $pc && $_->{tid} == $tid } @flips;
  # The value may be the later one before the call already, and in between not.
  $have_line = $1 if $report =~ /^Called from .* at \S*(prog\.c:\d+), where it was so already before the call\.$/m;
  push @wrong, 'not in line ' . ($want_line // '(any)') if ($have_line // '') !~ /^prog\.c/ || (defined $want_line && $have_line ne $want_line);
  push @wrong, "the value is $end already" if value ($before) eq $end;
  push @wrong, "after `next' it is not $end" if @{$expr->{flips}} == 1 && value ($after) ne $end;
  return ok (!@wrong, ($last ? 'the last ' : 'a ') . "flip of $expr->{text}")
    || diag join "\n", @wrong, $report, $frame, $next, $after;
}

my @seeds = $ENV{SEED} ? $ENV{SEED} : 1 .. ($ENV{RETRO_TEST_LONG} ? 60 : 5);
for my $seed (@seeds)
  {
    note ("seed $seed");
    test_program ($seed);
  }
done_testing ();
