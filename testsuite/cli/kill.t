#!/bin/bash
# Sudden ends: of the recorder, of the program, from outside.
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

# start NAME SCRIPT: record a shell script in the background that writes its
# pid to a fifo when it is where it should be; sets $recorder and $program.
start ()
{
  mkfifo "$1.ready"
  "$RETRO" record -o "$1" -- sh -c "$2" sh "$1.ready" >"$T/out" 2>"$T/err" </dev/null &
  recorder=$!
  if ! read -r -t 60 program <>"$1.ready"
  then
    diag 'the program did not get where it should'
    show_err
    exit 1
  fi
}

# gone PID: wait until it is not there, or is a zombie; at most 20 s.
gone ()
{
  for _ in {1..2000}
  do
    grep -qs '^State:.*[^Z] (' "/proc/$1/status" || return 0
    sleep 0.01
  done
  return 1
}

verifies ()
{
  run 120 "$RETRO" verify "$1"
  is "$status" 'exit 0' "$1: what was recorded verifies"
  [ "$status" = 'exit 0' ] || show_err
  like "$T/out" 'events, exact' "$1: it says so"
}

loop='i=0; while :; do i=$((i + 1)); read -r _ </proc/self/stat; [ $i != 300 ] || echo $$ >"$1"; done'

start killed "$loop"
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null
is $? 137 'the recorder was killed'
gone "$program"
ok $? 'its program went with it'
verifies killed

for signal in TERM HUP
do
  start "ended-$signal" "$loop"
  kill -"$signal" "$recorder"
  wait "$recorder" 2>/dev/null
  is $? $((128 + $(kill -l $signal))) "SIG$signal to the recorder ends the program, and so the recorder"
  gone "$program"
  ok $? 'the program is gone'
  verifies "ended-$signal"
done

start outside "$loop"
kill -KILL "$program"
wait "$recorder" 2>/dev/null
is $? 137 'SIGKILL to the program'
verifies outside

start crashed "$loop"
kill -SEGV "$program"
wait "$recorder" 2>/dev/null
is $? 139 'SIGSEGV to the program'
verifies crashed

start trapped "trap 'echo caught; exit 3' USR1; $loop"
kill -USR1 "$program"
wait "$recorder"
is $? 3 'a signal that the program handles'
is "$(cat "$T/out")" caught 'it did'
verifies trapped

start stopped "trap 'exit 4' USR1; $loop"
kill -STOP "$program"
kill -USR1 "$program"
kill -CONT "$program"
wait "$recorder"
is $? 4 'stopped and continued from outside'
verifies stopped

# A program killed in a computation, that is not in a call.
start computing 'echo $$ >"$1"; i=0; while :; do i=$((i + 1)); done'
kill -TERM "$program"
wait "$recorder" 2>/dev/null
is $? 143 'SIGTERM into a computation'
verifies computing

done_testing
