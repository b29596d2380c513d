#!/usr/bin/perl
# Attaching to a process, and letting go of one.

use strict;
use warnings;
use File::Basename;
use POSIX qw(mkfifo WNOHANG);
use lib dirname (__FILE__);
use Stock;
use Test::More;

my ($in, $out) = map { "$Stock::dir/$_" } 'requests', 'answers';
mkfifo ($_, 0600) or die "$_: $!\n" for $in, $out;

# A process that nobody traces, which has answered once.
sub start_echo
{
  my $pid = fork // die;
  exec build_of ('serve/echo'), $in, $out or POSIX::_exit (127) unless $pid;
  return ($pid, request ('early'));
}

# Send a line, return the answer.
sub request
{
  my ($line) = @_;
  open my $to, '>', $in or die;
  print $to "$line\n";
  close $to;
  open my $from, '<', $out or die;
  my $answer = <$from>;
  close $from;
  return $answer;
}

# Is PID traced by nobody, and not stopped?
sub is_free
{
  my ($pid) = @_;
  open my $status, '<', "/proc/$pid/status" or return 0;
  my $text = join '', <$status>;
  return $text =~ /^TracerPid:\s*0$/m && $text !~ /^State:\s*[tT]/m;
}

# It is to answer, and to end when told to.
sub works_still
{
  my ($pid, $name, $number) = @_;
  ok (is_free ($pid), "$name: it is free");
  is (request ('late'), "$number: late\n", "$name: it works");
  open my $to, '>', $in or die;
  print $to "quit\n";
  close $to;
  waitpid $pid, 0;
  is ($?, 0, "$name: it ends well");
}

my ($pid, $answer) = start_echo ();
is ($answer, "1: early\n", 'it works before');
dialogue 'attach, go on, go back, detach', 'serve/echo', <<"END";
(gdb) attach $pid
Attaching to program: ...echo, process $pid
...read...
(gdb) bt
...main (argc=3, ...
(gdb) print served
\$1 = 1
(gdb) reverse-continue
No more reverse-execution history.
(gdb) break serve
(gdb) shell echo second > $in
(gdb) continue
Breakpoint 1, serve (line=... "second\\n", ...
(gdb) reverse-stepi
(gdb) reverse-continue
No more reverse-execution history.
(gdb) continue
Breakpoint 1, serve (line=... "second\\n", ...
(gdb) next
(gdb) print served
\$2 = 2
(gdb) reverse-next
(gdb) print served
\$3 = 1
# Whoever reads is there before it writes, so it does not wait long.
(gdb) shell cat $out > $Stock::dir/second &
(gdb) delete
# Detaching is from the present, wherever one looks.
(gdb) detach
Detaching from program: ...echo, process $pid
(gdb) info threads
No threads.
END
wait_until (sub { -s "$Stock::dir/second" });
works_still ($pid, 'after detach', 3);

($pid) = start_echo ();
dialogue 'attach by -p, quit', 'serve/echo', <<"END", options => ['-p', $pid];
(gdb) print served
\$1 = 1
(gdb) bt
...main (argc=3, ...
(gdb) quit
END
works_still ($pid, 'after quit', 2);

($pid) = start_echo ();
dialogue 'attach twice, and to nothing', 'serve/echo', <<"END";
(gdb) attach 4194303
/[Cc]an(no|')t attach|No such process|failed/
(gdb) attach $pid
...read...
(gdb) detach
(gdb) attach $pid
...read...
(gdb) print served
\$1 = 1
(gdb) detach
END
works_still ($pid, 'after the second', 2);

dialogue 'detach from what was run', "serve/echo $in $out", <<"END";
(gdb) break serve
(gdb) shell echo first > $in &
(gdb) run
Breakpoint 1, serve (line=... "first\\n", ...
(gdb) detach
Detaching from program: ...
(gdb) shell cat $out
1: first
(gdb) shell echo again > $in; cat $out
2: again
(gdb) shell echo quit > $in
END

done_testing;
