#!/usr/bin/perl
# Under a terminal: searches show their progress, Ctrl-C ends them and leaves all
# as it was, and the next Ctrl-C does what it always does.
#
# serve-badly holds a packet back until an interrupt comes; Ctrl-C is typed once
# the log shows that packet.

use strict;
use warnings;
use Fcntl qw(O_RDWR O_NOCTTY);
use File::Basename;
use lib dirname (__FILE__);
use POSIX qw(setsid);
use Session;
use Test::More;

use constant { TIOCSPTLCK => 0x40045431, TIOCGPTN => 0x80045430, TIOCSCTTY => 0x540E, TIOCSWINSZ => 0x5414 };

Session::require_extension ();

my $program = Session::compile ('loop', <<'END');
long x;
int is_big (void) { return x > 7000; }
int main (void)
{
  for (x = 0; x < 10000; x++)
    ;
  return 0;
}
END
my $log = "$Session::dir/log";
$ENV{SERVE_HELPER} = $ENV{RETRO} // "$Session::build/retro";
$ENV{RETRO} = "$Session::srcdir/testsuite/ext/serve-badly";
$ENV{SERVE_LOG} = $log;
my ($master, $pid);

sub start
{
  my (@command) = @_;
  sysopen $master, '/dev/ptmx', O_RDWR | O_NOCTTY or die "/dev/ptmx: $!\n";
  ioctl $master, TIOCSPTLCK, my $unlock = pack 'i', 0 or die "unlock: $!\n";
  ioctl $master, TIOCGPTN, my $number = pack 'i', 0 or die "number: $!\n";
  my $name = '/dev/pts/' . unpack 'i', $number;
  ioctl $master, TIOCSWINSZ, my $size = pack 'S4', 50, 200, 0, 0;
  $pid = fork // die "fork: $!\n";
  return if $pid;
  close $master;
  setsid ();
  sysopen my $slave, $name, O_RDWR or die "$name: $!\n";
  ioctl $slave, TIOCSCTTY, 0;
  open STDIN, '<&', $slave;
  open STDOUT, '>&', $slave;
  open STDERR, '>&', $slave;
  exec @command or POSIX::_exit (127);
}

sub type
{
  syswrite $master, $_[0];
}

# What comes up to the next prompt.
sub answer
{
  my $text = '';
  while ($text !~ /\(gdb\) \z/)
    {
      sysread $master, $text, 65536, length $text or last;
    }
  $text =~ s/\r\n/\n/g;
  return $text;
}

sub command
{
  type ("$_[0]\n");
  return answer ();
}

# The same, with Ctrl-C when PACKET has been held back.
sub interrupted
{
  my ($line, $packet) = @_;
  type ("$line\n");
  for (my $seen = 0; !$seen;)
    {
      select undef, undef, undef, 0.02;
      open my $file, '<', $log or next;
      $seen = grep { /^\Q$packet\E/ } <$file>;
    }
  type ("\003");
  return answer ();
}

$SIG{ALRM} = sub { kill 'KILL', $pid };
alarm 120;
$ENV{TERM} = 'dumb';
for my $search ('is_big ()', 'x', '-last x > 9000')
  {
    $ENV{SERVE_SLOW} = ($search =~ /big/ ? 'QRetro:SearchNext' : $search =~ /last/ ? 'QRetro:Last' : 'QRetro:SearchProgress') . ',bc';
    my ($slow) = split /,/, $ENV{SERVE_SLOW};
    unlink $log;
    start ($Session::gdb, '-nx', '-q', '-iex', 'set style enabled off', '-iex', 'set width 0', '-iex',
           "jit-reader-load $Session::extension", $program);
    answer ();
    command ('break 7');
    like (command ('run'), qr/^Breakpoint 1, main/m, "$search: the program runs");
    my $said = interrupted ("reverse-watch $search", $slow);
    like ($said, qr/^Searching \d+ events and \d+\.\d\d s of execution\.\.\.$/m, '... it is said what is searched') or diag $said;
    like ($said, qr/\r\e\[K/, '... there is a line that is wiped');
    like ($said, qr/Quit$/m, '... Ctrl-C ends it');
    like (command ('frame'), qr/^#0  main \(\) at .*:7$/m, '... where it began');
    unlike (command ('info history'), qr/reverse-watch/, '... and it is no step of history');
    $said = interrupted ('reverse-continue', 'bc');
    like ($said, qr/SIGINT, Interrupt|No more reverse-execution history/, '... and the next Ctrl-C is the program\'s') or diag $said;
    unlike ($said, qr/not responding|Disconnected|helper has ended/, '... no word of the connection');
    like (command ('seek end'), qr/^7\t/m, '... which is as it was');
    like (command ("reverse-watch $search"), qr/^5\t/m, '... and the search can be made');
    type ("kill\ny\nquit\n");
    1 while sysread $master, my $rest, 65536;
    close $master;
    waitpid $pid, 0;
  }
alarm 0;
done_testing ();
