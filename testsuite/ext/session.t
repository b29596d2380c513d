#!/usr/bin/perl
# The extension at work on a tiny program without a library: going back to
# statements, undo, what it shows and says, errors.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Session;
use Test::More;

Session::require_extension ();

my $badly = "$Session::srcdir/testsuite/ext/serve-badly";
$ENV{SERVE_HELPER} = $ENV{RETRO} //= "$Session::build/retro";
my @freestanding = qw(-static -nostdlib -ffreestanding -fno-stack-protector -fcf-protection=none -no-pie);
my $program = Session::compile ('tiny', <<'END', @freestanding);
int x, y, z;
static void set (int *p, int v)
{
  *p = v;
}
static int work (int n)
{
  int local = 0;
  for (int i = 0; i < n; i++)
    {
      local += i;
      if (i == 3)
        set (&x, 5);
      if (i == 5)
        y = x + i;
    }
  z = local;
  return local;
}
int main (void)
{
  int r = work (8);
  x = 9;
  y = 7;
  return r;
}
__asm__ (".globl _start\n_start:\n xor %ebp, %ebp\n call main\n mov %eax, %edi\n mov $60, %eax\n syscall\n");
END

# Expressions with a convenience variable do not compile to bytecode, so GDB
# evaluates them at each probe.
sub session
{
  my ($commands, %environment) = @_;
  return Session->new ($program, ['set var $zero = 0', 'break 24', 'run', @$commands],
                       environment => \%environment);
}

# --- Searching ------------------------------------------------------------------

my $gdb = session (['reverse-watch x == $zero', 'print x', 'info symbol $_retro_pc', 'print $_retro_thread',
                    'print $_retro_probes > 0 && $_retro_probes < 20', 'print $_retro_seconds > 0', 'next', 'print x']);
like ($gdb->of ('run'), qr/^24\t/m, 'run goes through the helper');
is ($gdb->of ('reverse-watch x == $zero') =~ s/\d+ probes, \d+\.\d+ s/N probes, T s/r,
    "x == \$zero holds here, in thread 1, and no longer after this statement\n(N probes, T s):\n"
    . "set (p=0x403000 <x>, v=5) at $Session::dir/tiny.c:4\n4\t  *p = v;", 'a condition: the report');
is ($gdb->of ('print x'), '$1 = 0', '... before the statement');
like ($gdb->of ('info symbol $_retro_pc'), qr/^set \+ \d+ in/, '$_retro_pc');
is ($gdb->of ('print $_retro_thread'), '$2 = 1', '$_retro_thread');
is ($gdb->of ('print $_retro_probes > 0 && $_retro_probes < 20'), '$3 = 1', '$_retro_probes');
is ($gdb->of ('print $_retro_seconds > 0'), '$4 = 1', '$_retro_seconds');
is ($gdb->of ('print x', 1), '$5 = 5', '... and next shows the change');

$gdb = session (['reverse-watch y + $zero', 'undo', 'reverse-watch x != $zero', 'seek begin',
                 'reverse-watch x + $zero', 'seek end', 'reverse-watch $zero + 1', 'frame', 'reverse-watch nosuch',
                 'reverse-watch', 'reverse-watch -within', 'reverse-watch -within 0% x', 'reverse-watch -last x + $zero',
                 'reverse-watch x > 100', 'reverse-watch $zero == 0', 'reverse-watch -last x > 100',
                 'frame']);
like ($gdb->of ('reverse-watch y + $zero'), qr/^y \+ \$zero is 0 here, in thread 1, and 10 after this statement\n/,
      'a value: the report names both');
like ($gdb->of ('reverse-watch y + $zero'), qr/^15\t/m, '... and the statement');
like ($gdb->of ('reverse-watch x != $zero'),
      qr/^x != \$zero does not hold here, in thread 1, but does after this statement\n/, 'a condition that is true now');
like ($gdb->of ('reverse-watch $zero + 1'),
      qr/^\$zero \+ 1 is 1 here \(0\.\d+ s\) and was 1 already where the search starts \(0\.\d+ s\)\.  If it/,
      'the same at the start: names values and times');
is ($gdb->of ('frame'), $gdb->of ('frame', 1), '... and failures leave the program where it is');
like ($gdb->of ('reverse-watch x > 100'),
      qr/^x > 100 does not hold here \(0\.\d+ s\), nor where the search starts \(0\.\d+ s\)\.  If .*"reverse-watch -last"/,
      '... of a condition, with what helps');
like ($gdb->of ('reverse-watch $zero == 0'),
      qr/^\$zero == 0 holds here \(0\.\d+ s\), and held already where .*\.  If .* checkpoint .*"-within"/, '... or what may');
like ($gdb->of ('reverse-watch -last x > 100'), qr/^x > 100 does not .*  It has not changed since\.$/, '... or that it never did');
like ($gdb->of ('reverse-watch nosuch'), qr/^No symbol "nosuch" in current context\.$/, 'a bad expression');
like ($gdb->of ('reverse-watch'), qr/^Argument required \(expression to compute\)\.$/, 'no expression');
like ($gdb->of ('reverse-watch -within'), qr/^-within requires an argument\.$/, 'no checkpoint');
like ($gdb->of ('reverse-watch -within 0% x'), qr/between 0% and 100%/, 'a bad percentage');
like ($gdb->of ('reverse-watch -last x + $zero'), qr/^"-last" needs an expression that compiles.*: some \d+ (days|hours|minutes|seconds)\.$/, '-last, not compiling');

# Locals, -location and breakpoints on the way.
$gdb = session (['tbreak work', 'reverse-continue', 'tbreak 18', 'continue', 'reverse-watch local + $zero',
                 'print i', 'undo', 'print local', 'break set', 'reverse-watch -location local', 'info breakpoints']);
like ($gdb->of ('reverse-watch local + $zero'), qr/^local \+ \$zero is 21 here, in thread 1, and 28 after/,
      'a local variable');
like ($gdb->of ('reverse-watch local + $zero'), qr/^11\t/m, '... changes where it is added to');
is ($gdb->of ('print i'), '$1 = 7', '... the last time');
like ($gdb->of ('info breakpoints'), qr/\by\b.* in set at/, 'breakpoints are as before a search');

# --- undo, redo, history -----------------------------------------------------------

$gdb = session (['next', 'reverse-next', 'reverse-watch y + $zero', 'info history', 'undo 2', 'info history', 'redo',
                 'redo', 'redo', 'undo 99', 'undo 0', 'undo x', 'undo', 'reverse-stepi', 'redo', 'info history']);
like ($gdb->of ('info history'), qr/^  1 .* run\n.*\n  2 .* next\n.*\n  3 .* reverse-next\n.*\n\* 4 .* reverse-watch y/m,
      'history names the commands');
like ($gdb->of ('info history'), qr/to 0x[0-9a-f]+ in work \(\) at .*tiny\.c:15$/m, '... and where they led');
like ($gdb->of ('undo 2'), qr/^25\t/m, 'undo goes back over two');
like ($gdb->of ('info history', 1), qr/^\* 2 .* next\n.*\n- 3 .*\n.*\n- 4 /m, '... and history shows it');
like ($gdb->of ('redo'), qr/^24\t/m, 'redo');
like ($gdb->of ('redo', 1), qr/^15\t/m, '... again');
is ($gdb->of ('redo', 2), 'There is no command to redo.', '... until there is no more');
is ($gdb->of ('undo 99'), 'Only 4 commands can be undone.', 'undo says how many');
like ($gdb->of ($_), qr/^A positive number/, "$_ is refused") for 'undo 0', 'undo x';
is ($gdb->of ('redo', 3), 'There is no command to redo.', 'a new movement ends what can be redone');
like ($gdb->of ('info history', 2), qr/^\* 4 .* reverse-stepi$/m, '... and takes its place');

# --- Checkpoints, seek, timeline ------------------------------------------------------

$gdb = session (['checkpoint late', 'seek begin', 'checkpoint', 'info checkpoints', 'complete restart ',
                 'complete delete checkpoint l', 'restart late', 'restart 2', 'restart nowhere', 'seek 50%',
                 'print (int) $_retro_percent', 'seek late', 'seek event 2', 'print $_retro_event', 'seek 101%', 'seek',
                 'seek event', 'info timeline', 'reverse-watch -within late x + $zero', 'delete checkpoint 1-2',
                 'info checkpoints', 'checkpoint 9a', 'checkpoint a b', 'checkpoint third', 'run', 'info checkpoints',
                 'print x']);
like ($gdb->of ('checkpoint late'), qr/^Checkpoint 1, late at event \d+, \d+\.\d+ s: 0x[0-9a-f]+ in main \(\) at .*:24$/,
      'checkpoint');
like ($gdb->of ('info checkpoints'), qr/^Num  Name .*\n1 +late +2 .*\n2 +1 .*$/, 'info checkpoints');
is ($gdb->of ('complete restart '), "restart 1\nrestart 2\nrestart late", 'restart completes');
is ($gdb->of ('complete delete checkpoint l'), 'delete checkpoint late', 'delete checkpoint completes');
like ($gdb->of ('restart late'), qr/^24\t/m, 'restart by name');
like ($gdb->of ('restart 2'), qr/_start/, 'restart by number');
is ($gdb->of ('restart nowhere'), 'No checkpoint nowhere.', 'restart at an unknown one');
is ($gdb->of ('print (int) $_retro_percent'), '$1 = 0', 'seek N%');
like ($gdb->of ('seek late'), qr/^24\t/m, 'seek to a checkpoint');
is ($gdb->of ('print $_retro_event'), '$2 = 2', 'seek event');
like ($gdb->of ('seek 101%'), qr/between 0% and 100%/, 'a bad percentage');
like ($gdb->of ('seek'), qr/^Argument required/, 'seek wants an argument');
like ($gdb->of ('seek event'), qr/^Argument required/, 'seek event wants one, too');
like ($gdb->of ('info timeline'), qr/^begin +the present\n\|2=*\*\|\n +\^ now\nBegin: .*\nNow: .*\nPresent: .* in main .*\n1 late: .*\n2: /,
      'info timeline') or diag $gdb->of ('info timeline');
is ($gdb->of ('reverse-watch -within late x + $zero'), 'Checkpoint late is not before now.', '-within a later one');
is ($gdb->of ('info checkpoints', 1), 'No checkpoints.', 'delete checkpoint takes ranges');
like ($gdb->of ('checkpoint 9a'), qr/must not begin with a digit/, 'a bad name');
like ($gdb->of ('checkpoint a b'), qr/is one word/, 'two names');
like ($gdb->of ('info checkpoints', 2), qr/^No checkpoints\.\nOf the former run, and gone with it:\nNum .*\n3 +third /,
      'after another run they are records of the former one');

# --- Saving ---------------------------------------------------------------------------

$gdb = session (["save recording $Session::dir/saved", 'save recording', "save recording $Session::dir/s from nowhere",
                 "save recording $Session::dir/saved"]);
is ($gdb->of ("save recording $Session::dir/saved"), "Saved the recording in $Session::dir/saved.", 'save recording');
ok (-d "$Session::dir/saved", '... does it');
like ($gdb->of ('save recording'), qr/^Argument required/, '... wants a directory');
is ($gdb->of ("save recording $Session::dir/s from nowhere"), 'No checkpoint nowhere.', '... from a checkpoint');
is ($gdb->of ("save recording $Session::dir/saved", 1), "$Session::dir/saved is not empty.",
    'what the helper refuses is said');

# --- A helper that dies -------------------------------------------------------------------

$gdb = session (['reverse-watch x + $zero', 'print x', 'info retro', 'undo', 'set retro record off', 'run', 'print x'],
                RETRO => $badly, SERVE_DIE => 'QRetro:SearchNext');
like ($gdb->of ('reverse-watch x + $zero'), qr/^warning: Retro's helper has ended, .*"run".*^Remote connection closed$/ms,
      'a helper that dies in a search');
is ($gdb->of ('undo'), 'The program is not being run.', '... leaves GDB without a program');
like ($gdb->of ('run'), qr/^24\t/m, '... and usable');

# --- Displays and MI ------------------------------------------------------------------------

$gdb = session (['display x', 'reverse-watch x == $zero', 'undo']);
like ($gdb->of ('reverse-watch x == $zero'), qr/^1: x = 0$/m, 'displays are shown after a search');
like ($gdb->of ('undo'), qr/^1: x = 9$/m, '... and after undo');

# --- Ctrl-C ---------------------------------------------------------------------------------

# The helper gets the probe's answer only when it is interrupted; GDB is
# signalled once the log shows that packet.
{
  local $ENV{RETRO} = $badly;
  local $ENV{SERVE_SLOW} = 'QRetro:SearchNext,bc';
  local $ENV{SERVE_LOG} = "$Session::dir/log";
  my $interrupt = sub {
    my ($packet) = @_;
    my $logged = 0;
    while (!$logged)
      {
        open my $log, '<', $ENV{SERVE_LOG} or die;
        $logged = grep { /^\Q$packet\E/ } <$log>;
        select undef, undef, undef, 0.02;
      }
    kill 'INT', $Session::pid;
  };
  my $output = Session::mi ($program, [
    ['-break-insert 24', qr/^\^done/],
    ['-exec-run', qr/^\*stopped,reason="breakpoint-hit"/],
    ['-interpreter-exec console "set var $zero = 0"', qr/^\^done/],
    ['-interpreter-exec console "reverse-watch x + $zero"', qr/^\^(done|error)/,
     sub { $interrupt->('QRetro:SearchNext') }],
    ['-interpreter-exec console "frame"', qr/^\^(done|error)/],
    ['-exec-continue --reverse', qr/^\*stopped|^\^error/, sub { $interrupt->('bc') }],
    ['-interpreter-exec console "seek end"', qr/^\^(done|error)/],
    ['-interpreter-exec console "reverse-watch x == $zero"', qr/^\^(done|error)/]]);
  like ($output, qr/^\^error,msg="Quit"/m, 'Ctrl-C ends a search');
  like ($output, qr/^~"#0  main \(\) at .*tiny\.c:24/m, '... and the program is where it was');
  unlike ($output, qr/Disconnected|not responding|helper has ended/, '... and the next Ctrl-C goes to the program');
  like ($output, qr/^~"x == \$zero holds here/m, '... and then one can search again') or diag $output;
}

# MI: a conversation, since it runs the program in the background.
my $mi = Session::mi ($program, [
  ['-break-insert 24', qr/^\^done/],
  ['-exec-run', qr/^\*stopped,reason="breakpoint-hit"/],
  ['-interpreter-exec console "set var $zero = 0"', qr/^\^done/],
  ['-interpreter-exec console "reverse-watch x == $zero"', qr/^\^(done|error)/],
  ['-interpreter-exec console "undo"', qr/^\^(done|error)/]]);
like ($mi, qr/^~"x == \$zero holds here, in thread 1, and no longer/m, 'MI: the report goes to the console');
like ($mi, qr/^\*stopped,.*frame=\{.*func="set",.*line="4"/m, '... and the place into a stop');
like ($mi, qr/^\*stopped,.*frame=\{.*func="main",.*line="24".*\n\^done\n.*\z/ms, '... as after undo');

done_testing ();
