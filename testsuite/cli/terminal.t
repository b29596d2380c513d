#!/usr/bin/perl
# Under a terminal: it is the program's; Ctrl-C, Ctrl-\ and Ctrl-Z reach it.

use strict;
use warnings;
use Fcntl qw(O_RDWR O_NOCTTY);
use POSIX qw(:sys_wait_h setsid);
use Test::More;

use constant { TIOCSPTLCK => 0x40045431, TIOCGPTN => 0x80045430, TIOCSCTTY => 0x540E, TIOCSWINSZ => 0x5414 };

my $retro = $ENV{RETRO} // './retro';
my $dir = `mktemp -d "\${TMPDIR:-/tmp}/retro-test.XXXXXX"`;
chomp $dir;
$ENV{XDG_DATA_HOME} = $dir;
my $count = 0;
my ($master, $pid, $seen);

# Run a shell command on a new terminal; the master's end is ours.
sub start
{
  my (@command) = @_;
  sysopen $master, '/dev/ptmx', O_RDWR | O_NOCTTY or die "/dev/ptmx: $!\n";
  ioctl $master, TIOCSPTLCK, my $unlock = pack 'i', 0 or die "unlock: $!\n";
  ioctl $master, TIOCGPTN, my $number = pack 'i', 0 or die "number: $!\n";
  my $name = '/dev/pts/' . unpack 'i', $number;
  ioctl $master, TIOCSWINSZ, my $size = pack 'S4', 33, 111, 0, 0;
  $seen = '';
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

# Read from the terminal until a pattern is seen, or its end; 30 s at most.
sub expect
{
  my ($pattern, $name) = @_;
  my $until = time + 30;
  while ($seen !~ /$pattern/ && time < $until)
    {
      my $bits = '';
      vec ($bits, fileno $master, 1) = 1;
      next unless select $bits, undef, undef, 1;
      sysread $master, $seen, 4096, length $seen or last;
    }
  ok ($seen =~ s/^.*?$pattern//s, $name) or diag ("seen: $seen");
}

sub type
{
  syswrite $master, $_[0];
}

# How the recorder ended, after 30 s at most.
sub ended
{
  my $status;
  eval {
    local $SIG{ALRM} = sub { die "timeout\n" };
    alarm 30;
    waitpid $pid, 0;
    $status = $?;
    alarm 0;
    1;
  } or kill 'KILL', $pid;
  close $master;
  return 'timeout' unless defined $status;
  return $status & 127 ? 'signal ' . ($status & 127) : 'exit ' . ($status >> 8);
}

sub record
{
  my (@command) = @_;
  $count++;
  start ($retro, 'record', '-o', "$dir/$count", '--', @command);
}

sub verifies
{
  my ($name) = @_;
  my $said = `timeout 60 $retro verify $dir/$count 2>&1 </dev/null`;
  is ($?, 0, "$name: verifies") or diag ($said);
}

record ('sh', '-c', 'test -t 0 && test -t 1 && test -t 2 && stty size; echo line is $(stty -g | wc -c); read x; echo got $x');
expect ('33 111', 'the program has the terminal, with its size');
expect ('line is \d\d', 'and can ask for its settings');
type ("typed\n");
expect ('got typed', 'it reads what is typed');
is (ended, 'exit 0', 'and ends');
verifies ('terminal');

record ('sh', '-c', 'echo ready; cat; echo not reached');
expect ('ready', 'a program that waits');
# A shell that is about to start its command may ignore Ctrl-C: wait for cat.
type ("once\n");
expect ('once\s+once', 'and answers');
type ("\003");
is (ended, 'signal 2', 'Ctrl-C ends it');
verifies ('Ctrl-C');

record ('sh', '-c', 'trap "echo interrupted" INT; echo ready; read x; read x; echo so $x');
expect ('ready', 'a program that handles SIGINT');
type ("\003");
expect ('interrupted', 'Ctrl-C reaches it');
type ("on\non\n");
expect ('so on', 'and it goes on');
is (ended, 'exit 0', 'to its end');
verifies ('handled Ctrl-C');

record ('sh', '-c', 'echo ready; i=0; while :; do i=$((i + 1)); done');
expect ('ready', 'a program that computes');
type ("\003");
is (ended, 'signal 2', 'Ctrl-C ends it');
verifies ('Ctrl-C in a computation');

record ('sh', '-c', 'ulimit -c 0; echo ready; exec cat');
expect ('ready', 'once more');
type ("\034");
is (ended, 'signal 3', 'Ctrl-\\ ends it');
verifies ('Ctrl-\\');

# Job control: the shell sees the recorder stop with its program, and "fg"
# continues both.
$ENV{PS1} = 'prompt$ ';
$count++;
start ('bash', '--norc', '--noprofile', '-i');
expect ('prompt\$ ', 'an interactive shell');
type ("$retro record -o $dir/$count -- sh -c 'echo re''ady; read x; echo so \$x'\n");
expect ('ready', 'a job');
type ("\032");
expect ('Stopped', 'Ctrl-Z stops it');
type ("fg\n");
expect ("read x", 'fg');
type ("on\n");
expect ('so on', 'continues it');
type ("exit 5\n");
is (ended, 'exit 5', 'the shell ends');
verifies ('Ctrl-Z');

# A full-screen program's ways: raw mode, restored at its end.
record ('sh', '-c', 'old=$(stty -g); stty raw -echo; echo ready; dd bs=1 count=3 2>/dev/null | od -An -tx1; stty $old; echo end');
expect ('ready', 'raw mode');
type ("\003\r\004");
expect ('03 0d 04', 'control characters are data');
expect ('end', 'and the end');
is (ended, 'exit 0', 'exit');
verifies ('raw mode');

system 'rm', '-rf', $dir unless $ENV{KEEP};
done_testing ();
