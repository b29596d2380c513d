# Are the transcripts that a document quotes those that a program prints?
#
#   my @missing = Quote::missing ('README.md', $output);
#
# A transcript in a document is an indented block that begins with "$ ./retro
# gdb".  It may leave lines out, but each of its lines must be in the output,
# in the same order.  What varies may differ: seconds, probes, events,
# addresses, processes, temporary files, the directory.

package Quote;

use strict;
use warnings;

# A line without what varies.
sub normal
{
  my ($line) = @_;
  $line =~ s/\(\d+ probes, [\d.]+ s\)/(N probes, N s)/;
  $line =~ s/\b0x[0-9a-f]+\b/ADDRESS/g;
  $line =~ s/\bevent \d+ \([\d.]+%\)/event N/;
  $line =~ s/\b\d+\.\d+\b/N/g;
  $line =~ s,/\S*/(socket|examples/|testsuite/|redis\.sock),$1,g;
  $line =~ s,redis\.sock,socket,g;
  $line =~ s,\|[=*.\d]+\|,|TIMELINE|,;
  $line =~ s,^\s+,, if $line =~ /\^ now$/;
  $line =~ s,\s+$,,;
  return $line;
}

sub transcripts
{
  my ($text) = @_;
  my @found;
  my $inside = 0;
  for my $line (split /\n/, $text)
    {
      $inside = 1 if $line =~ /^    \$ \.\/retro gdb/;
      $inside = 0 if $line !~ /^(    |$)/;
      push @found, $line =~ s/^    //r if $inside && $line ne '';
    }
  return @found;
}

# The lines quoted in FILE that OUTPUT does not have.
sub missing
{
  my ($file, $output) = @_;
  open my $document, '<', $file or die "$file: $!\n";
  local $/;
  my @printed = map { normal ($_) } split /\n/, $output;
  my @missing;
  my @quoted = transcripts (scalar <$document>);
  die "$file quotes nothing\n" unless @quoted;
  for my $line (@quoted)
    {
      my $wanted = normal ($line);
      my $at = 0;
      $at++ while $at < @printed && $printed[$at] ne $wanted;
      if ($at < @printed)
        {
          splice @printed, 0, $at + 1;
        }
      else
        {
          push @missing, $line;
        }
    }
  return @missing;
}

1;
