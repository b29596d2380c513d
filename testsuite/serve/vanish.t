#!/usr/bin/perl
# However it ends, nothing is left: no process, no file.
# timeout: 900

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Client;
use Stock;
use Test::More;

my $long = build_of ('serve/long');
my $turns = build_of ('serve/turns');

# A client whose program stands in wait_here, after the long computation.
sub in_the_middle
{
  my $client = Client->new;
  like ($client->run ($long), qr/^T05/, 'it runs');
  my ($break) = map { /^([0-9a-f]+) \w wait_here$/ ? $1 : () } `nm $long`;
  my ($pid) = $client->ask ('qC') =~ /^QC([0-9a-f]+)/ or die;
  # The program's base, from its auxiliary vector's AT_ENTRY.
  my ($entry) = map { /^([0-9a-f]+) \w _start$/ ? $1 : () } `nm $long`;
  my $auxv = $client->ask ('qXfer:auxv:read::0,1000');
  $auxv =~ s/\}(.)/$1 ^ ' '/ges;
  my %auxv = unpack 'Q*', substr $auxv, 1;
  my $base = $auxv{9} - hex $entry;
  my ($tick) = map { /^([0-9a-f]+) \w tick$/ ? $1 : () } `nm $long`;
  $client->{tick} = $base + hex $tick;
  is ($client->ask (sprintf 'Z0,%x,1', $base + hex $break), 'OK', 'a breakpoint');
  like ($client->ask ('vCont;c'), qr/^T05/, 'it is hit');
  return $client;
}

my $client = in_the_middle ();
cmp_ok (scalar ($client->descendants), '>', 1, 'there is a program, and snapshots');
ok ($client->gone, 'a client that closes');

$client = in_the_middle ();
$client->raw ('$vCont;');
ok ($client->gone, 'in the middle of a packet');

$client = in_the_middle ();
$client->raw ('$' . 'm' x 300000);
ok ($client->gone, 'in the middle of an endless packet');

$client = in_the_middle ();
$client->put ('vCont;c');
ok ($client->gone, 'while the program runs');

$client = in_the_middle ();
# A condition that is never true makes the way back long.
is ($client->ask (sprintf 'Z0,%x,1;X3,220027', $client->{tick}), 'OK', 'a condition');
$client->put ('bc');
ok ($client->gone, 'in the middle of going back');

$client = in_the_middle ();
is ($client->ask ('QRetro:Seek:begin') =~ /^now=/ ? 1 : 0, 1, 'in the past');
ok ($client->gone, 'when in the past');

for my $signal ('TERM', 'HUP', 'KILL')
  {
    $client = in_the_middle ();
    my @processes = $client->descendants;
    $client->put ('vCont;c');
    kill $signal, $client->{pid};
    ok ($client->vanished (@processes), "SIG$signal to the server while the program runs");

    $client = in_the_middle ();
    @processes = $client->descendants;
    kill $signal, $client->{pid};
    ok ($client->vanished (@processes), "SIG$signal to the server at rest");
  }

# The program killed from outside ends as programs do.
$client = in_the_middle ();
my ($pid) = $client->ask ('qC') =~ /^QCp?([0-9a-f]+)/;
$client->put ('vCont;c');
# It is in the middle of its call when it sleeps.
wait_until (sub { grep { $_->[0] == hex $pid && $_->[2] eq 'S' } Stock::processes () });
kill 'KILL', hex $pid;
like ($client->reply, qr/^T05replaylog:end/, 'the program is killed from outside') or diag $client->{console};
like ($client->ask ('bs'), qr/^T05/, 'and has a past');
ok ($client->gone, 'and nothing is left');

$client = Client->new;
like ($client->run ($turns), qr/^T05/, 'threads');
$client->put ('vCont;c');
ok ($client->gone, 'a program with threads');

$client = Client->new;
is ($client->ask ('?'), 'W00', 'no program');
ok ($client->gone, 'nothing to be left');

# GDB itself.
sub with_gdb
{
  my ($name, @commands) = @_;
  my $gdb = Stock::start ([$Stock::retro, 'gdb', '--stock', '-nx', '-q', '-iex', 'set prompt @@@ready@@@\n', $long]);
  my ($ok) = $gdb->finish;
  for my $command ('set confirm off', 'break wait_here', 'run', @commands)
    {
      $gdb->send_line ($command);
      $ok &&= ($gdb->finish)[0];
    }
  ok ($ok, "$name: GDB answers");
  return $gdb;
}

my $gdb = with_gdb ('killed', 'reverse-stepi');
my @below = map { $_->[0] } child_processes ($gdb->{pid});
cmp_ok (scalar (@below), '>', 2, 'there are a helper, a program, and snapshots');
kill 'KILL', $gdb->{pid};
waitpid $gdb->{pid}, 0;
ok (wait_until (sub { !grep { is_alive ($_) } @below }, 60), 'GDB killed: no process is left');
ok (wait_until (sub { !session_dirs () }, 60), 'and no file');

for my $where (['at the present'], ['in the past', 'tbreak count', 'reverse-continue'])
  {
    my ($name, @commands) = @$where;
    $gdb = with_gdb ($name, @commands);
    $gdb->send_line ('quit');
    ok ($gdb->end, "GDB quits $name") or diag $gdb->{log};
  }

done_testing;
