#!/usr/bin/perl
# The extension without a recording: it loads, its commands are documented as
# GDB's are, complete, and refuse what they cannot do; GDB's own commands of
# the same names still work.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Session;
use Test::More;

Session::require_extension ();

my $program = Session::compile ('plain', <<'END');
int x;
int is_three (void) { return x == 3; }
int main (void)
{
  for (int i = 0; i < 10; i++)
    x = i;
  return is_three ();
}
END

# --- Help --------------------------------------------------------------------

my @commands = ('reverse-watch', 'checkpoint', 'restart', 'info checkpoints', 'delete checkpoint', 'undo', 'redo',
                'info history', 'seek', 'info timeline', 'save recording', 'info retro');
my @settings = qw(record snapshot-interval snapshot-memory seed diversion progress);
my $gdb = Session->new ($program, [map ({ "help $_" } @commands), 'help', 'help retro', 'apropos retro', 'show retro',
                                   map ({ ("help set retro $_", "help show retro $_") } @settings)]);
for my $command (@commands)
  {
    my $help = $gdb->of ("help $command");
    like ($help, qr/\A[A-Z][^\n]*\.\nUsage: \Q$command\E\b/, "help $command");
    unlike ($help, qr/^.{82}/m, "... in lines that fit");
    like ($gdb->of ('apropos retro'), qr/^\Q$command\E\b.* -- /m, "... and apropos finds it");
    like ($gdb->of ('help retro'), qr/(^|")\Q$command\E(?: --|")/m, '... and help retro names it');
  }
like ($gdb->of ('help'), qr/^retro -- [A-Z].*\.$/m, 'help knows the topic');
for my $setting (@settings)
  {
    like ($gdb->of ("help set retro $setting"), qr/\ASet [^\n]*\.\n/, "help set retro $setting");
    like ($gdb->of ("help show retro $setting"), qr/\AShow [^\n]*\.\n/, "help show retro $setting");
    like ($gdb->of ('show retro'), qr/^retro $setting:/m, "show retro lists $setting");
    like ($gdb->of ('apropos retro'), qr/^$_ retro $setting -- /m, "apropos finds $_ retro $setting") for 'set', 'show';
  }

# --- Settings ----------------------------------------------------------------

$gdb = Session->new ($program, ['set retro snapshot-memory 2G', 'show retro snapshot-memory',
                                'set retro snapshot-memory lots', 'show retro snapshot-memory',
                                'set retro snapshot-memory 3X', 'set retro snapshot-interval 0',
                                'show retro snapshot-interval', 'set retro record maybe',
                                'set retro progress auto', 'show retro progress', 'set retro seed 7',
                                'show retro seed']);
like ($gdb->of ('show retro snapshot-memory'), qr/is 2G\./, 'a size is taken');
like ($gdb->of ('set retro snapshot-memory lots'), qr/size such as/, 'a bad one is refused');
like ($gdb->of ('show retro snapshot-memory', 1), qr/is 2G\./, '... and the old one stays');
like ($gdb->of ('set retro snapshot-memory 3X'), qr/Unknown unit/, 'a bad unit is refused');
like ($gdb->of ('set retro snapshot-interval 0'), qr/at least 1/, 'no interval of zero');
like ($gdb->of ('show retro snapshot-interval'), qr/is 250\./, '... the default stays');
like ($gdb->of ('set retro record maybe'), qr/"on" or "off"|expected/, 'record is on or off');
like ($gdb->of ('show retro progress'), qr/is auto\./, 'progress may be auto');
like ($gdb->of ('show retro seed'), qr/is 7\./, 'seed');

# --- Completion --------------------------------------------------------------

$gdb = Session->new ($program, ['complete reverse-w', 'complete reverse-watch -l', 'complete reverse-watch is_th',
                                'complete reverse-watch -location is_th', 'complete seek e', 'complete set retro s',
                                'complete info time']);
is ($gdb->of ('complete reverse-w'), 'reverse-watch', 'the command completes');
is ($gdb->of ('complete reverse-watch -l'), "reverse-watch -last\nreverse-watch -location", 'its options complete');
is ($gdb->of ('complete reverse-watch is_th'), 'reverse-watch is_three', 'its expression completes');
is ($gdb->of ('complete reverse-watch -location is_th'), 'reverse-watch -location is_three',
    '... after an option, too');
is ($gdb->of ('complete seek e'), "seek end\nseek event", 'seek completes');
is ($gdb->of ('complete set retro s'), join ("\n", map { "set retro $_" } qw(seed snapshot-interval snapshot-memory)),
    'settings complete');
is ($gdb->of ('complete info time'), 'info timeline', 'info timeline completes');

# --- Nothing to go back in ---------------------------------------------------

my @needs_process = ('reverse-watch x', 'undo', 'redo', 'info history', 'seek begin', 'info timeline',
                     'save recording /nonexistent/dir');
$gdb = Session->new ($program, [@needs_process, 'info retro', 'print $_retro_event', 'print $_retro_pc']);
is ($gdb->of ($_), 'The program is not being run.', "$_ without a process") for @needs_process;
like ($gdb->of ('info retro'), qr/are recorded/, 'info retro without a process');
is ($gdb->of ('print $_retro_event'), '$1 = void', '$_retro_event is void');
is ($gdb->of ('print $_retro_pc'), '$2 = void', '$_retro_pc is void');

# --- Not recording -----------------------------------------------------------

$gdb = Session->new ($program, ['set retro record off', 'break is_three', 'run', 'info retro', 'undo',
                                'info timeline', 'info checkpoints', 'checkpoint', 'info checkpoints',
                                'delete checkpoint 1', 'info checkpoints', 'continue']);
like ($gdb->of ('run'), qr/Breakpoint 1, is_three \(\)/, 'a program runs without being recorded');
like ($gdb->of ('info retro'), qr/not being recorded/, 'info retro says so');
is ($gdb->of ($_), 'The program is not being recorded.', "$_ says so")
  for 'undo', 'info timeline';
is ($gdb->of ('info checkpoints'), 'No checkpoints.', "GDB's own info checkpoints");
like ($gdb->of ('info checkpoints', 1), qr/^  1 process \d+ at .*plain\.c/m, "... after GDB's own checkpoint");
is ($gdb->of ('info checkpoints', 2), 'No checkpoints.', '... which can be deleted');

# --- The helper cannot be started --------------------------------------------

$gdb = Session->new ($program, ['run', 'print $_exitcode'], environment => { RETRO => '/nonexistent/retro' });
like ($gdb->of ('run'), qr/warning: The program is not recorded: /, 'no helper: said so');
like ($gdb->of ('run'), qr/exited normally/, '... and the program runs all the same');

# --- Backwards, with GDB's own recorder --------------------------------------

$gdb = Session->new ($program, ['set retro record off', 'break main', 'run', 'record', 'next', 'next', 'next',
                                'set exec-direction reverse', 'print is_three ()', 'record stop']);
unlike ($gdb->of ('print is_three ()'), qr/Cannot call functions in reverse mode/,
        'functions can be called while the direction is backward');

done_testing ();
