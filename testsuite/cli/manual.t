#!/usr/bin/perl
# The manual page says what the program has, and nothing else: commands,
# options, settings, variables.  What the program has is taken from --help,
# and from the sources for what needs a GDB to be asked.

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use Test::More;

my $srcdir = $ENV{SRCDIR} // abs_path (dirname (__FILE__) . '/../..');
my $retro = $ENV{RETRO} // "$srcdir/retro";

sub read_file
{
  my ($name) = @_;
  open my $file, '<', $name or die "$name: $!\n";
  local $/;
  return scalar <$file>;
}

# Names, each once, in order.
sub set
{
  my %names = map { $_ => 1 } @_;
  return [sort keys %names];
}

my $page = read_file ("$srcdir/doc/retro.1");
my $markup = $page;
$page =~ s/\\f[BIPR]//g;
$page =~ s/\\-/-/g;

# The text of a section (.SH) or subsection (.SS) that begins with NAME.
sub section
{
  my ($name) = @_;
  return $page =~ /^\.S([SH]) "?\Q$name\E\b.*\n((?:(?!\.S[SH]).*\n)*)/m ? $2 : undef;
}

# What its paragraphs are about: the bold words of the lines after each .TP.
sub tags
{
  my ($text) = @_;
  return map { split /" ?, ?"|,\s+|\s+/ } map { s/"//gr } $text =~ /^\.TP\n\.(?:B|BR|I) (.*)/mg;
}

# --- Commands and their options ----------------------------------------------

my $help = `"$retro" --help`;
my @commands = $help =~ /^  ([a-z]+) .*/mg;
ok (@commands >= 8, 'retro --help lists commands');
is_deeply (set ($page =~ /^\.SS "retro ([a-z]+)/mg), set (@commands), 'the page has those commands');
is_deeply (set (section ('SYNOPSIS') =~ /^\.B retro ([a-z]+)/mg), set (@commands), '... and its synopsis');
for my $command (@commands)
  {
    my $text = `"$retro" $command --help`;
    is ($?, 0, "retro $command --help");
    my @options = grep { $_ ne '--help' } $text =~ /^\s+(?:-\w, )?(--[a-z-]+)/mg;
    push @options, grep { $_ ne '-h' } $text =~ /^\s+(-\w),/mg;
    my @told = grep { /^-/ } map { s/=.*//r } tags (section ("retro $command") // '');
    is_deeply (set (@told), set (@options), "... and the page: their options");
  }

# --- In GDB ------------------------------------------------------------------

my %source = map { $_ => read_file ($_) } glob ("$srcdir/gdb-ext/*.c $srcdir/helper/*/*.c");
my $sources = join "\n", values %source;

my $in_gdb = section ('GDB COMMANDS');
for my $name (map { s/^ //r } map { "$_->[0] $_->[1]" } pairs ($sources =~ /\{\s*"([a-z ]*)", "([a-z-]+)",\s*BRIDGE_CLASS/g))
  {
    ok ($in_gdb =~ /\b\Q$name\E\b/, "the page has $name");
  }
my @settings = tags (section ('Settings'));
ok (@settings > 0, 'there are settings');
is_deeply (set (@settings), set ($sources =~ /\{ "([a-z-]+)", BRIDGE_[A-Z_]+,/g), 'the page has the settings');
is_deeply (set (section ('Convenience variables') =~ /\$(_retro_\w+)/g), set ($sources =~ /\{ "(_retro_\w+)"/g),
           '... and the variables');

# --- The environment ---------------------------------------------------------

my @variables = $sources =~ /g_getenv \((.*?)\);/g;
@variables = map { /"(\w+)"/g } @variables;
is_deeply (set (tags (section ('ENVIRONMENT'))), set (@variables, 'XDG_DATA_HOME'), 'the page has the environment');

# --- Its form ----------------------------------------------------------------

SKIP:
  {
    skip 'no groff', 1 unless grep { -x "$_/groff" } split /:/, $ENV{PATH};
    open my $groff, '-|', "groff -man -ww -Tutf8 -z '$srcdir/doc/retro.1' 2>&1" or die;
    is (join ('', <$groff>), '', 'groff has nothing to complain of');
  }

done_testing ();

sub pairs
{
  my @pairs;
  push @pairs, [splice @_, 0, 2] while @_;
  return @pairs;
}
